import assert from "node:assert/strict";
import { after, before } from "node:test";
import { Faults } from "../../git-host/faults.ts";
import { type GitHost, startGitHost } from "../../git-host/git-host.ts";
import { type AnyJson, type Api, assertError } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, makeFile, runTurn, toolResults } from "../harness/fixtures.ts";
import { providerSettings } from "../harness/provider-settings.ts";
import { waitForSnapshots } from "../harness/repository-snapshots.ts";
import { readEventsUntil } from "../harness/stream.ts";

const faults = new Faults();
let host: GitHost;
let berth: Berth;
let api: Api;
before(async () => {
  host = await startGitHost({ intercept: faults.intercept });
  for (const name of ["app", "late", "denied"])
    await host.createRepository({ org: "acme", name, private: false, files: { "conf/app.ini": "own\n" } });
  const settings = { BERTH_DISK_RECLAIM_SECONDS: "1", BERTH_SANDBOX_IDLE_SECONDS: "0" };
  berth = await Berth.start({ settings: { ...settings, ...providerSettings(host) } });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  await host.stop();
});

const repository = (name: string, more: AnyJson = {}) => ({
  type: "hosted_repository",
  url: `${host.url}/acme/${name}`,
  ...more,
});

async function fileAt(mount_path: string, content = "secret\n"): Promise<AnyJson> {
  return { type: "file", file_id: (await makeFile(api, content)).id, mount_path };
}

async function create(...resources: AnyJson[]) {
  const [agent, environment] = await Promise.all([makeAgent(api), makeEnvironment(api)]);
  return await api.post("/sessions", { agent: agent.id, environment_id: environment.id, resources });
}

async function open(...resources: AnyJson[]): Promise<AnyJson> {
  const { status, body } = await create(...resources);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function run(session: AnyJson, command: string): Promise<string> {
  return toolResults(await runTurn(api, session.id, bash(`(${command})`))).join("\n");
}

const LOOK =
  "cd /data/app && cat .env conf/.env.local && git status --porcelain --untracked-files=all && git ls-files";

covers(
  ["file-in-repo"],
  "files in a repository: there after the clone, over a snapshot and on a new disk, and ignored by git",
  async () => {
    const files = [
      await fileAt("/data/app/.env", "one\n"),
      await fileAt("/data/app/conf/.env.local", "two\n"),
    ];
    const cloned = await open(...files, repository("app"));
    assert.equal(cloned.resources.find(({ type }: AnyJson) => type !== "file").mount_path, "/data/app");
    assert.equal(await run(cloned, LOOK), "one\ntwo\nconf/app.ini");
    await waitForSnapshots(berth, `${host.url}/acme/app`, 1);
    const shown = await open(repository("app"), ...files);
    assert.match(await run(shown, "grep ' /data/app ' /proc/self/mounts"), / \/data\/app overlay /);
    await readEventsUntil(api, shown.id, ({ type }) => type === "session.container_reclaimed");
    assert.equal(await run(shown, LOOK), "one\ntwo\nconf/app.ini");
    const again = await fileAt("/data/app/.npmrc", "three\n");
    await api.ok("POST", `/sessions/${shown.id}/resources`, again);
    assert.match(await run(shown, `cat /data/app/.npmrc; ${LOOK}`), /^three\none\ntwo\nconf\/app\.ini/);
  },
);

covers(
  ["file-in-repo-tracked"],
  "file at a tracked path: reported, and the repository is unchanged",
  async () => {
    const session = await open(repository("app"), await fileAt("/data/app/conf/app.ini"));
    const events = await readEventsUntil(api, session.id, ({ type }) => type === "session.error");
    assert.match(
      events.at(-1).error.message,
      /already has a file or directory at \/data\/app\/conf\/app\.ini/,
    );
    assert.match(await run(session, "cd /data/app && cat conf/app.ini && git status --porcelain"), /^own/);
  },
);

covers(
  ["file-in-repo-failed", "file-in-repo-removed"],
  "file in a repository that was not cloned: comes with a later clone; removed: git lists its path again",
  async () => {
    faults.queue("acme/denied", { status: 404 });
    const session = await open(repository("denied"), await fileAt("/data/denied/.env"));
    await readEventsUntil(api, session.id, ({ type }) => type === "session.error");
    assert.match(await run(session, "ls /data"), /^(?!denied)/);
    const [{ id }] = session.resources.filter(({ type }: AnyJson) => type !== "file");
    await api.ok("POST", `/sessions/${session.id}/resources/${id}`, { retry: true });
    const there = "cd /data/denied && cat .env && git status --porcelain";
    assert.match(await run(session, there), /^secret/);
    const [file] = session.resources.filter(({ type }: AnyJson) => type === "file");
    await api.ok("DELETE", `/sessions/${session.id}/resources/${file.id}`);
    const text = await run(session, "cd /data/denied && ls -A && echo own > .env && git status --porcelain");
    assert.match(text, /^\.git\nconf\n\?\? \.env/);
  },
);

covers(["file-in-repo-paths"], "file at, around or in the .git of a repository: 400 with param", async () => {
  for (const path of ["/data/late", "/data/late/.git/config", "/data/late/sub/.GIT/x"]) {
    const param = "resources[1].mount_path";
    const response = await create(repository("late", { mount_path: "/data/late" }), await fileAt(path));
    assertError(response, 400, "invalid_request_error", { param });
  }
  const around = await create(repository("late", { mount_path: "/data/x/late" }), await fileAt("/data/x"));
  assertError(around, 400, "invalid_request_error", { param: "resources[1].mount_path" });
  const session = await open(repository("late"));
  for (const path of ["/data/late", "/data/late/.git/hooks/pre-commit"]) {
    const response = await api.post(`/sessions/${session.id}/resources`, await fileAt(path));
    assertError(response, 400, "invalid_request_error", { param: "mount_path" });
  }
});
