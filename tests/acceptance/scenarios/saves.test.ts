import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { type GitHost, startGitHost } from "../../git-host/git-host.ts";
import type { AnyJson, Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  makeSession,
  runTurn,
  steps,
  toolResults,
  waitForTurn,
} from "../harness/fixtures.ts";
import { administerHost, hostOf } from "../harness/hosts.ts";
import { providerSettings } from "../harness/provider-settings.ts";
import { waitForSnapshots } from "../harness/repository-snapshots.ts";
import { settingsToShare } from "../harness/shared-database.ts";
import { readEventsUntil } from "../harness/stream.ts";
import { waitUntil } from "../harness/wait-until.ts";

/** Two services on one database and one store. The second has the sessions at first, and is then lost. */
let directory: string;
let host: GitHost;
let settings: Record<string, string>;
let first: Berth;
let second: Berth;
let api: Api;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "git-host-"));
  host = await startGitHost({ dir: directory });
  settings = {
    ...providerSettings(host),
    BERTH_HOST_GRACE_SECONDS: "60",
    BERTH_SANDBOX_IDLE_SECONDS: "0",
    BERTH_WORKSPACE_SAVES: "idle",
    BERTH_WORKSPACE_SAVE_MB: "8",
  };
  first = await Berth.start({ settings });
  api = await first.client();
});
after(async () => {
  await second?.stop();
  await first?.stop();
  await host?.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Starts another second service, which is the only one to take new sessions. */
async function startSecond(): Promise<void> {
  await second?.stop();
  second = await Berth.start({ settings: { ...settings, ...settingsToShare(first) } });
  await administerHost(first, "drain", hostOf(first));
}

/** Kills the second service for good, so that the first takes over its sessions. */
async function loseSecond(): Promise<void> {
  await second.kill("SIGKILL");
  await administerHost(first, "resume", hostOf(first));
  await administerHost(first, "forget", hostOf(second));
}

/** Counts the second service's log lines about a saved workspace with this outcome. */
function saves(outcome = "saved"): number {
  return second.log
    .split("\n")
    .filter((line) => /workspace (not )?saved/.test(line) && line.includes(`"outcome":"${outcome}"`)).length;
}

/** Runs a turn, and waits for the save after it, with this outcome. */
async function runAndSave(session: AnyJson, command: string, outcome = "saved"): Promise<void> {
  const before = saves(outcome);
  assert.match(await run(session, `${command} && echo whole`), /^whole\b/);
  await saved(before + 1, outcome);
}

async function saved(count: number, outcome = "saved"): Promise<void> {
  await waitUntil(
    () => saves(outcome) >= count,
    () => `no workspace with the outcome ${outcome}:\n${second.log.slice(-3_000)}`,
  );
}

/** Waits until the sandbox is closed after the last turn. */
async function parked(session: AnyJson): Promise<void> {
  const lastLine = () => second.log.split("\n").findLast((line) => line.includes(session.id)) ?? "";
  await waitUntil(
    () => lastLine().includes('"sandbox closed"'),
    () => `the session is not parked:\n${second.log.slice(-3_000)}`,
  );
}

async function run(session: AnyJson, command: string): Promise<string> {
  const [result = ""] = toolResults(await runTurn(api, session.id, bash(command)));
  return result.replace(/\n\[working directory .*$/, "").trim();
}

async function events(session: AnyJson, type: string): Promise<AnyJson[]> {
  const { data } = await api.ok("GET", `/sessions/${session.id}/events?limit=100`);
  return data.filter((event: AnyJson) => event.type === type);
}

/** Returns the reasons of lost containers, each with the tool calls lost with it; null without a save. */
async function reclaims(session: AnyJson): Promise<[string, number | null][]> {
  const told = await events(session, "session.container_reclaimed");
  return told.map(({ reason, save }) => [reason, save?.lost_calls ?? null]);
}

/** Returns the names of the contents in the shared store. */
function contents(): string[] {
  const names = readdirSync(join(first.dataDir, "blobs"), { recursive: true, encoding: "utf8" });
  return names.filter((name) => /[0-9a-f]{64}$/.test(name));
}

/** Returns the contents that are being written. */
function staged(): string[] {
  return readdirSync(join(first.dataDir, "blobs", "partial"));
}

async function staging(): Promise<void> {
  await waitUntil(
    () => staged().length > 0,
    () => `nothing is being saved:\n${second.log.slice(-3_000)}`,
  );
}

const WORK = `cd /data/repo && echo more >>README.md && rm src/other.txt && mkdir made && printf '#!/bin/sh\\necho run\\n' >made/run &&
  chmod 755 made/run && ln -s made/run link && git mv src/main.txt src/moved.txt && git commit -qam work && echo later >>README.md &&
  git add made && echo ignored >ignored.log && echo '*.log' >.gitignore && head -c 3000000 /dev/urandom >untracked.bin &&
  echo home >~/note && export WORD=kept && cd src`;
const LOOK = `(cd /data/repo && git status --porcelain --ignored; git log --format=%s; git fsck 2>&1; cat README.md ~/note; ./link;
  find . -path ./.git -prune -o -printf '%p %m %l %T@\\n' | sort; sha256sum untracked.bin)`;

covers(
  ["save-restored", "package-caches"],
  "a machine is lost: the results of a setup script come back, without its package caches, which no save has",
  async () => {
    await host.createRepository({ org: "acme", name: "cached", private: false, files: { one: "1\n" } });
    await startSecond();
    // The caches alone are larger than a save may be.
    const repository_setup_script =
      "echo made >made; mkdir -p ~/.npm/_cacache ~/.m2/repository; head -c 12M /dev/urandom >~/.npm/_cacache/large";
    const environment = await makeEnvironment(api, { config: { type: "cloud", repository_setup_script } });
    const agent = await makeAgent(api);
    const resources = [{ type: "git_repository", url: `${host.url}/acme/cached`, mount_path: "/data/repo" }];
    const made = { agent: agent.id, environment_id: environment.id, resources };
    const session = await api.ok("POST", "/sessions", made);
    await runAndSave(session, "stat -c %s ~/.npm/_cacache/large >/data/repo/seen; touch ~/.npm/own ~/note");
    await parked(session);
    await loseSecond();
    const look = "cat /data/repo/made /data/repo/seen; ls ~; ls -A ~/.npm; touch ~/.npm/again; ls ~/.npm";
    assert.equal(await run(session, look), "made\n12582912\nnote\nagain");
    assert.deepEqual(await reclaims(session), [["lost", 0]]);
    assert.deepEqual(await events(session, "session.error"), []);
  },
);

covers(
  ["save-restored", "save-lost-calls"],
  "a machine is lost for good: another goes on with uncommitted work, over a clone and over a snapshot",
  async () => {
    const token = host.createToken({ user: "robot", permissions: "write" });
    const files = { "README.md": "# widget\n", "src/main.txt": "one\n", "src/other.txt": "two\n" };
    await host.createRepository({ org: "acme", name: "widget", private: true, files });
    await startSecond();
    const url = `${host.url}/acme/widget`;
    const resource = { type: "hosted_repository", url, mount_path: "/data/repo", authorization_token: token };
    const cloned = await makeSession(api, { resources: [resource] });
    await runAndSave(cloned, WORK);
    await waitForSnapshots(second, url, 1);
    const shown = await makeSession(api, { resources: [resource] });
    await runAndSave(shown, WORK);
    assert.equal(
      await run(shown, "stat -f -c %T /data/repo; pwd; echo $WORD"),
      "overlayfs\n/data/repo/src\nkept",
    );
    const looks = await Promise.all([run(cloned, LOOK), run(shown, LOOK)]);
    for (const session of [cloned, shown]) await parked(session);
    await host.stop();
    await loseSecond();
    for (const [index, session] of [cloned, shown].entries()) {
      assert.equal(await run(session, "pwd; echo $WORD"), "/data/repo/src\nkept");
      assert.equal(await run(session, LOOK), looks[index]);
      assert.deepEqual(await reclaims(session), [["lost", 0]]);
      const started = await events(session, "session.container_started");
      assert.ok(started.at(-1).seconds >= started.find(({ restored }) => restored).restored.seconds);
      assert.equal((await events(session, "session.resource_ready")).length, 1, "it is not cloned again");
      assert.deepEqual(await events(session, "session.error"), []);
    }
  },
);

covers(
  ["save-lost-calls", "save-cut"],
  "a machine is lost while it saves: the save before is whole, and the calls since then are lost",
  async () => {
    await startSecond();
    const session = await makeSession(api);
    await runAndSave(session, "echo first >/data/file");
    const before = contents();
    await runTurn(
      api,
      session.id,
      bash("yes 0123456789 | head -c 450000000 >/data/large"),
      bash("echo second >/data/file"),
    );
    await staging();
    await loseSecond();
    assert.equal(await run(session, "cat /data/file; ls /data"), "first\nfile");
    assert.deepEqual(await reclaims(session), [["lost", 2]]);
    assert.deepEqual(contents(), before);
  },
);

covers(["save-cut"], "a message that comes while it saves begins its turn at once", async () => {
  await startSecond();
  const session = await makeSession(api);
  await runTurn(api, session.id, bash("yes 0123456789 | head -c 450000000 >/data/large"));
  await staging();
  assert.equal(await run(session, "rm /data/large; echo done"), "done");
  await saved(1, "cut");
  await saved(1);
});

covers(
  ["save-too-large"],
  "a workspace that is too large is not saved, which is told, and the save before it stays",
  async () => {
    await startSecond();
    const session = await makeSession(api);
    await runAndSave(session, "echo first >/data/file");
    await runAndSave(session, "head -c 20000000 /dev/urandom >/data/large", "too_large");
    const [{ error }] = await events(session, "session.error");
    assert.equal(error.type, "workspace_save_error");
    assert.match(
      error.message,
      /^The workspace was not saved, because it is larger than the 8 MiB .* is kept\.$/,
    );
    const metrics = await (await fetch(`${second.url}/metrics`)).text();
    assert.match(metrics, /^berth_workspace_save_seconds_count\{outcome="too_large"[^}]*\} 1$/m);
    await loseSecond();
    assert.equal(await run(session, "ls /data"), "file");
    assert.deepEqual(await reclaims(session), [["lost", 1]]);
  },
);

covers(["save-drain"], "a drained service saves what it gives up", async () => {
  await startSecond();
  const sessions = [await makeSession(api), await makeSession(api)];
  for (const session of sessions) await runTurn(api, session.id, bash(`echo ${session.id} >/data/file`));
  await administerHost(first, "resume", hostOf(first));
  await administerHost(first, "drain", hostOf(second));
  for (const session of sessions) {
    await readEventsUntil(api, session.id, ({ type }) => type === "session.container_reclaimed");
    assert.deepEqual(await reclaims(session), [["drained", 0]]);
    const id = (
      await api.ok("POST", `/sessions/${session.id}/events`, { events: [steps(bash("cat /data/file"))] })
    ).data[0].id;
    assert.deepEqual(toolResults(await waitForTurn(api, session.id, id)), [session.id]);
  }
});
