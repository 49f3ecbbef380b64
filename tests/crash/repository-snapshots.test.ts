import assert from "node:assert/strict";
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../acceptance/harness/fixtures.ts";
import { providerSettings } from "../acceptance/harness/provider-settings.ts";
import { countSnapshotsBuilt, waitForSnapshots } from "../acceptance/harness/repository-snapshots.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { type GitHost, startGitHost } from "../git-host/git-host.ts";
import { endRunner } from "./processes.ts";

let directory: string;
let host: GitHost;
let token: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "git-host-"));
  host = await startGitHost({ dir: directory });
  token = host.createToken({ user: "robot", permissions: "write" });
  for (const name of ["kept", "cut"])
    await host.createRepository({ org: "acme", name, private: true, files: { "a.txt": `${name}\n` } });
});
after(async () => {
  await host.stop();
  await rm(directory, { recursive: true, force: true });
});

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

async function inside(api: Api, session: AnyJson, command: string): Promise<string> {
  return (toolResults(await runTurn(api, session.id, bash(`(cd /data/repo && ${command})`)))[0] ?? "").trim();
}

const templatesOf = (dataDir: string): string[] => namesIn(join(dataDir, "repositories/templates"));
const namesIn = (path: string): string[] => (existsSync(path) ? readdirSync(path).sort() : []);

async function comesTo(what: string, holds: () => boolean): Promise<void> {
  await waitUntil(holds, () => `It did not come to this: ${what}`);
}

const prepared = "stat -f -c %T .";

test("a template stays as long as a session's disk shows it, and goes when the session is gone", {
  timeout: 300_000,
}, async (t) => {
  let berth = await Berth.start({ settings: settings() });
  t.after(() => berth.stop());
  let api = await berth.client();
  const { dataDir } = berth;
  await inside(api, await open(api, "kept"), "true");
  await waitForSnapshots(berth, url("kept"), 1);
  const session = await open(api, "kept");
  assert.equal(await inside(api, session, `echo work >>a.txt; rm -f no; ${prepared}`), "overlayfs");
  const [template] = templatesOf(dataDir);
  assert.ok(template);

  // With no room at all for templates, and the session parked by a death.
  await berth.kill("SIGKILL");
  berth = await Berth.start({ dataDir, settings: settings({ BERTH_TEMPLATES_MB: "0" }) });
  api = await berth.client();
  await berth.ready();
  assert.equal(
    await inside(api, session, `cat a.txt; git status --porcelain; ${prepared}`),
    "kept\nwork\n M a.txt\noverlayfs",
  );
  assert.deepEqual(templatesOf(dataDir), [template]);
  assert.notEqual(await inside(api, await open(api, "kept"), prepared), "overlayfs", "it is off");

  await api.ok("DELETE", `/sessions/${session.id}`);
  await comesTo("the disk is gone", () => !existsSync(join(dataDir, "sessions", session.id)));
  await berth.kill("SIGTERM");
  berth = await Berth.start({ dataDir, settings: settings({ BERTH_TEMPLATES_MB: "0" }) });
  await comesTo("the template is gone", () => templatesOf(dataDir).length === 0);
  await comesTo("the mirror is gone", () => namesIn(join(dataDir, "repositories/mirrors")).length === 0);
});

test("a template whose making was killed is never served, and is swept", { timeout: 300_000 }, async (t) => {
  let berth = await Berth.start({ settings: settings() });
  t.after(() => berth.stop());
  const { dataDir } = berth;
  let api = await berth.client();
  await inside(api, await open(api, "cut"), "true");
  await comesTo("a template is begun", () => templatesOf(dataDir).length > 0);
  const [half] = templatesOf(dataDir);
  await berth.kill("SIGKILL");
  assert.equal(countSnapshotsBuilt(berth, url("cut")), 0);
  berth = await Berth.start({ dataDir, settings: settings() });
  api = await berth.client();
  const session = await open(api, "cut");
  assert.notEqual(await inside(api, session, prepared), "overlayfs");
  await comesTo("the half one is gone", () => !templatesOf(dataDir).includes(half ?? ""));
  await waitForSnapshots(berth, url("cut"), 1);
  assert.equal(await inside(api, await open(api, "cut"), `git fsck && ${prepared}`), "overlayfs");

  // Killed while sessions are shown it, each is what it was.
  const sessions = await Promise.all([open(api, "cut"), open(api, "cut")]);
  await Promise.all(sessions.map((each, index) => inside(api, each, `echo ${index} >own; rm a.txt`)));
  await endRunner(berth);
  const seen = await Promise.all(
    sessions.map((each) => inside(api, each, `cat own; git status --porcelain; ${prepared}`)),
  );
  assert.deepEqual(
    seen,
    [0, 1].map((index) => `${index}\n D a.txt\n?? own\noverlayfs`),
  );
});

test("a data directory that was moved shows what its disks had, and a disk whose template was lost is new", {
  timeout: 300_000,
}, async (t) => {
  let berth = await Berth.start({ settings: settings() });
  t.after(() => berth.stop());
  const dataDir = `${berth.dataDir}-moved`;
  let api = await berth.client();
  await inside(api, await open(api, "kept"), "true");
  await waitForSnapshots(berth, url("kept"), 1);
  const session = await open(api, "kept");
  assert.equal(await inside(api, session, `echo work >>a.txt; ${prepared}`), "overlayfs");
  await berth.kill("SIGTERM");
  renameSync(berth.dataDir, dataDir);

  berth = await Berth.start({ dataDir, settings: settings() });
  api = await berth.client();
  assert.equal(await inside(api, session, `cat a.txt; ${prepared}`), "kept\nwork\noverlayfs");
  await berth.kill("SIGTERM");

  for (const name of templatesOf(dataDir))
    rmSync(join(dataDir, "repositories/templates", name), { recursive: true });
  berth = await Berth.start({ dataDir, settings: settings() });
  api = await berth.client();
  assert.equal(await inside(api, session, "cat a.txt; git status --porcelain"), "kept");
  const log = await api.ok("GET", `/sessions/${session.id}/events?limit=100`);
  const lost = log.data.filter(({ type }: AnyJson) => type === "session.container_reclaimed");
  assert.deepEqual(
    lost.map(({ reason }: AnyJson) => reason),
    ["lost"],
  );
});
