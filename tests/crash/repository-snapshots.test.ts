import assert from "node:assert/strict";
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../acceptance/harness/fixtures.ts";
import { providerSettings } from "../acceptance/harness/provider-settings.ts";
import { countSnapshotsBuilt, waitForSnapshots } from "../acceptance/harness/repository-snapshots.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { type GitHost, startGitHost } from "../git-host/git-host.ts";
import { killRunner } from "./processes.ts";

let host: GitHost;
let token: string;
before(async () => {
  host = await startGitHost();
  token = host.createToken({ user: "robot", permissions: "write" });
  for (const name of ["kept", "cut"])
    await host.createRepository({ org: "acme", name, private: true, files: { "a.txt": `${name}\n` } });
});
after(() => host.stop());

const url = (name: string): string => `${host.url}/acme/${name}`;

function settings(more: Record<string, string> = {}): Record<string, string> {
  return { ...providerSettings(host), ...more };
}

async function open(api: Api, name: string): Promise<AnyJson> {
  const [agent, environment] = await Promise.all([makeAgent(api), makeEnvironment(api)]);
  const resource = {
    type: "hosted_repository",
    url: url(name),
    mount_path: "/data/repo",
    authorization_token: token,
  };
  return await api.ok("POST", "/sessions", {
    agent: agent.id,
    environment_id: environment.id,
    resources: [resource],
  });
}

async function runInRepository(api: Api, session: AnyJson, command: string): Promise<string> {
  return (toolResults(await runTurn(api, session.id, bash(`(cd /data/repo && ${command})`)))[0] ?? "").trim();
}

const snapshotsOf = (dataDir: string): string[] => namesIn(join(dataDir, "repositories/snapshots"));
const namesIn = (path: string): string[] => (existsSync(path) ? readdirSync(path).sort() : []);

async function waitFor(event: string, condition: () => boolean): Promise<void> {
  await waitUntil(condition, () => `timed out: ${event}`);
}

const FILESYSTEM_TYPE = "stat -f -c %T .";

test("snapshot: kept while a session's disk uses it, and removed after the session", {
  timeout: 600_000,
}, async (t) => {
  let berth = await Berth.start({ settings: settings() });
  t.after(() => berth.stop());
  let api = await berth.client();
  const { dataDir } = berth;
  await runInRepository(api, await open(api, "kept"), "true");
  await waitForSnapshots(berth, url("kept"), 1);
  const session = await open(api, "kept");
  assert.equal(
    await runInRepository(api, session, `echo work >>a.txt; rm -f no; ${FILESYSTEM_TYPE}`),
    "overlayfs",
  );
  const [snapshot] = snapshotsOf(dataDir);
  assert.ok(snapshot);

  // Restarted with a snapshot limit of 0, after a kill that closed the session's sandbox.
  await berth.kill("SIGKILL");
  berth = await Berth.start({ dataDir, settings: settings({ BERTH_SNAPSHOTS_MB: "0" }) });
  api = await berth.client();
  await berth.ready();
  assert.equal(
    await runInRepository(api, session, `cat a.txt; git status --porcelain; ${FILESYSTEM_TYPE}`),
    "kept\nwork\n M a.txt\noverlayfs",
  );
  assert.deepEqual(snapshotsOf(dataDir), [snapshot]);
  assert.notEqual(
    await runInRepository(api, await open(api, "kept"), FILESYSTEM_TYPE),
    "overlayfs",
    "snapshots are disabled",
  );

  await api.ok("DELETE", `/sessions/${session.id}`);
  await waitFor("the disk is removed", () => !existsSync(join(dataDir, "sessions", session.id)));
  await berth.kill("SIGTERM");
  berth = await Berth.start({ dataDir, settings: settings({ BERTH_SNAPSHOTS_MB: "0" }) });
  await waitFor("the snapshot is removed", () => snapshotsOf(dataDir).length === 0);
  await waitFor("the mirror is removed", () => namesIn(join(dataDir, "repositories/mirrors")).length === 0);
});

test("service killed while it builds a snapshot: the partial one is never used, and is removed", {
  timeout: 600_000,
}, async (t) => {
  let berth = await Berth.start({ settings: settings() });
  t.after(() => berth.stop());
  const { dataDir } = berth;
  let api = await berth.client();
  await runInRepository(api, await open(api, "cut"), "true");
  await waitFor("a snapshot build starts", () => snapshotsOf(dataDir).length > 0);
  const [partial] = snapshotsOf(dataDir);
  await berth.kill("SIGKILL");
  assert.equal(countSnapshotsBuilt(berth, url("cut")), 0);
  berth = await Berth.start({ dataDir, settings: settings() });
  api = await berth.client();
  const session = await open(api, "cut");
  assert.notEqual(await runInRepository(api, session, FILESYSTEM_TYPE), "overlayfs");
  await waitFor("the partial snapshot is removed", () => !snapshotsOf(dataDir).includes(partial ?? ""));
  await waitForSnapshots(berth, url("cut"), 1);
  assert.equal(
    await runInRepository(api, await open(api, "cut"), `git fsck && ${FILESYSTEM_TYPE}`),
    "overlayfs",
  );

  // A kill of the runner does not change the repositories of sessions that use the snapshot.
  const sessions = await Promise.all([open(api, "cut"), open(api, "cut")]);
  await Promise.all(
    sessions.map((each, index) => runInRepository(api, each, `echo ${index} >own; rm a.txt`)),
  );
  await killRunner(berth);
  const seen = await Promise.all(
    sessions.map((each) => runInRepository(api, each, `cat own; git status --porcelain; ${FILESYSTEM_TYPE}`)),
  );
  assert.deepEqual(
    seen,
    [0, 1].map((index) => `${index}\n D a.txt\n?? own\noverlayfs`),
  );
});

test("moved data directory: disks keep their content; a disk whose snapshot was lost is replaced", {
  timeout: 600_000,
}, async (t) => {
  let berth = await Berth.start({ settings: settings() });
  t.after(() => berth.stop());
  const dataDir = `${berth.dataDir}-moved`;
  let api = await berth.client();
  await runInRepository(api, await open(api, "kept"), "true");
  await waitForSnapshots(berth, url("kept"), 1);
  const session = await open(api, "kept");
  assert.equal(await runInRepository(api, session, `echo work >>a.txt; ${FILESYSTEM_TYPE}`), "overlayfs");
  await berth.kill("SIGTERM");
  renameSync(berth.dataDir, dataDir);

  berth = await Berth.start({ dataDir, settings: settings() });
  api = await berth.client();
  assert.equal(await runInRepository(api, session, `cat a.txt; ${FILESYSTEM_TYPE}`), "kept\nwork\noverlayfs");
  await berth.kill("SIGTERM");

  for (const name of snapshotsOf(dataDir))
    rmSync(join(dataDir, "repositories/snapshots", name), { recursive: true });
  berth = await Berth.start({ dataDir, settings: settings() });
  api = await berth.client();
  assert.equal(await runInRepository(api, session, "cat a.txt; git status --porcelain"), "kept");
  const log = await api.ok("GET", `/sessions/${session.id}/events?limit=100`);
  const lost = log.data.filter(({ type }: AnyJson) => type === "session.container_reclaimed");
  assert.deepEqual(
    lost.map(({ reason }: AnyJson) => reason),
    ["lost"],
  );
});
