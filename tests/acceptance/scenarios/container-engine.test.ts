import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import {
  missingForEngine,
  startTestEngine,
  TEST_IMAGE,
  type TestEngine,
} from "../../container-engine/container-engine.ts";
import { type GitHost, startGitHost } from "../../git-host/git-host.ts";
import { type AnyJson, Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, makeFile, runTurn, toolResults } from "../harness/fixtures.ts";
import { providerSettings } from "../harness/provider-settings.ts";

const SKIP = missingForEngine("dockerd") ?? false;

let directory: string;
let engine: TestEngine;
let host: GitHost;
let berth: Berth;
let api: Api;
/** Functions that run in reverse order, also after a failed start. */
const CLEANUP: (() => Promise<unknown>)[] = [];
before(async () => {
  if (SKIP !== false) return;
  directory = await mkdtemp(join(tmpdir(), "container-engine-"));
  CLEANUP.push(() => rm(directory, { recursive: true, force: true }));
  engine = await startTestEngine("dockerd");
  CLEANUP.push(() => engine.close());
  host = await startGitHost({ dir: directory });
  CLEANUP.push(() => host.stop());
  await host.createRepository({ org: "acme", name: "widget", private: true, files: { "a.txt": "one\n" } });
  berth = await Berth.start({ settings: settings() });
  CLEANUP.push(() => berth.stop());
  api = await berth.client();
});
after(async () => {
  for (const cleanUp of CLEANUP.reverse()) await cleanUp();
});

function settings(): Record<string, string> {
  return {
    BERTH_SANDBOX: "docker",
    BERTH_DOCKER_SOCKET: engine.socket,
    BERTH_DOCKER_IMAGE: TEST_IMAGE,
    ...providerSettings(host),
  };
}

async function sessionWith(resources: AnyJson[], environment: Record<string, string> = {}): Promise<AnyJson> {
  const [agent, made] = await Promise.all([makeAgent(api), makeEnvironment(api, environment)]);
  return api.ok("POST", "/sessions", { agent: agent.id, environment_id: made.id, resources });
}

function repository(): AnyJson {
  const token = host.createToken({ user: "robot", permissions: "write" });
  return { type: "hosted_repository", url: `${host.url}/acme/widget`, authorization_token: token };
}

covers(
  ["container-engine"],
  "container engine: clone, commit, push, and a denied host is reported",
  async () => {
    const file = await makeFile(api, "uploaded");
    const session = await sessionWith([repository(), { type: "file", file_id: file.id }]);
    const events = await runTurn(
      api,
      session.id,
      bash(`pwd; id -un; cat /mnt/session/uploads/${file.id}; rg -c one widget/a.txt`),
      bash("cd widget && git checkout -qb change && echo two >>a.txt && git commit -qam Change"),
      bash("cd /data/widget && git push -q origin change && git rev-parse HEAD"),
      bash("curl -sS -m 5 http://refused.example/"),
      bash("echo result >/mnt/session/outputs/result.txt"),
    );
    const texts = toolResults(events);
    assert.equal(texts[0]?.trim(), "/data\nagent\nuploaded1");
    const commit = /[0-9a-f]{40}/.exec(texts[2] ?? "")?.[0];
    assert.equal(await host.head("acme", "widget", "change"), commit, texts.join(" | "));
    assert.match(texts[3] ?? "", /Could not resolve host/);
    const { data } = await api.ok("GET", `/sessions/${session.id}/events?types[]=session.egress_denied`);
    assert.deepEqual(
      data.map(({ host: name, reason }: AnyJson) => [name, reason]),
      [["refused.example", "not_allowed"]],
    );
  },
  SKIP,
);

covers(
  ["container-engine-resume"],
  "killed service: leaves no running container, and the next one continues with the disk",
  async () => {
    const session = await sessionWith([repository()]);
    await runTurn(
      api,
      session.id,
      bash(
        "echo uncommitted >>widget/a.txt; echo kept >/data/kept; sleep 600 & until grep -q sleep /proc/$!/comm; do :; done",
      ),
    );
    const { token } = api;
    await berth.kill("SIGKILL");
    await engine.idle();
    berth = await Berth.start({ settings: settings(), dataDir: berth.dataDir });
    api = new Api(berth.url, token);
    await berth.ready();
    const [text] = toolResults(
      await runTurn(
        api,
        session.id,
        bash("git -C widget status --short; cat kept; pgrep -f 'sleep 600' || echo none"),
      ),
    );
    assert.match(
      text?.trim() ?? "",
      /^M a\.txt\nkept\nnone\s*\[The sandbox was closed [^\n]+ have ended: `sleep 600`\.\]$/,
    );
  },
  SKIP,
);

covers(
  ["container-engine-image"],
  "environment image: it is used, and a missing one causes a sandbox_error",
  async () => {
    const named = await sessionWith([], { image: TEST_IMAGE });
    assert.deepEqual(
      toolResults(await runTurn(api, named.id, bash("echo runs"))).map((text) => text.trim()),
      ["runs"],
    );
    const missing = await sessionWith([], { image: "missing.example/none:1" });
    const events = await runTurn(api, missing.id, bash("echo never"));
    const error = events.find(({ type }) => type === "session.error");
    assert.equal(error?.error.type, "sandbox_error");
    assert.match(error?.error.message, /The image "missing\.example\/none:1" is not on/);
  },
  SKIP,
);
