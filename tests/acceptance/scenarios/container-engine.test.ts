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

/** Kills the service, and starts another on its data once its containers have ended. */
async function killAndStart(): Promise<void> {
  const { token } = api;
  await berth.kill("SIGKILL");
  await engine.idle();
  berth = await Berth.start({ settings: settings(), dataDir: berth.dataDir });
  api = new Api(berth.url, token);
  await berth.ready();
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
  ["container-engine", "commits-signed"],
  "container engine: a commit has the organization's signature, which the container gets through egress",
  async () => {
    const operator = await berth.operator();
    const { organization } = await api.ok("GET", "/whoami");
    const at = `/api/v1/admin/organizations/${organization.id}`;
    const { signing_key: key } = await operator.ok("POST", at, { commit_signing: true });
    const session = await sessionWith([], {});
    const commit =
      "git init -q own && cd own && git commit -q --allow-empty -m one && git cat-file commit HEAD";
    const [text = ""] = toolResults(await runTurn(api, session.id, bash(commit)));
    const signature = /^gpgsig -----BEGIN SSH SIGNATURE-----\n([\s\S]*?)\n -----END/m.exec(text)?.[1];
    const blob = Buffer.from(signature ?? "", "base64").toString("latin1");
    assert.ok(blob.includes(Buffer.from(key.split(" ")[1], "base64").toString("latin1")), text);
    await operator.ok("POST", at, { commit_signing: false });
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
    await killAndStart();
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

/** Creates a repository that brings an environment, and returns it as a resource of a session. */
async function ownRepository(name: string, devcontainer: AnyJson): Promise<AnyJson> {
  const files = { ".devcontainer.json": JSON.stringify(devcontainer) };
  await host.createRepository({ org: "acme", name, private: true, files });
  return { ...repository(), url: `${host.url}/acme/${name}`, environment: { from: "devcontainer" } };
}

async function eventsOf(session: string, type: string): Promise<AnyJson[]> {
  return (await api.ok("GET", `/sessions/${session}/events?limit=100&types[]=${type}`)).data;
}

/** Counts the requests for contents of a repository since there were `first` requests. */
function packsOf(name: string, first: number): number {
  const isOfIt = ({ method, path }: GitHost["requests"][number]) =>
    method === "POST" && path.includes(`/${name}`);
  return host.requests.slice(first).filter(isOfIt).length;
}

covers(
  ["devcontainer-image"],
  "devcontainer image: the set-up, the first command and a later container have it, and each repository is cloned once",
  async () => {
    await engine.makeImage("acme.example/tools:1", { "/etc/acme": "tools of acme\n" });
    const own = await ownRepository("imaged", {
      image: `acme.example/tools:${"$"}{localEnv:TOOLS:1}`,
      containerEnv: { MODE: "dev" },
      onCreateCommand: "cat /etc/acme >.git/made",
    });
    const file = await makeFile(api, "uploaded");
    const inside = { type: "file", file_id: file.id, mount_path: "/data/imaged/notes.txt" };
    const session = await sessionWith([own, repository(), inside], {});
    const first = host.requests.length;
    const show =
      "cat /etc/acme imaged/.git/made imaged/notes.txt; echo; echo $MODE; cat widget/a.txt; git -C imaged status --short";
    const events = await runTurn(api, session.id, bash(show));
    assert.equal(toolResults(events)[0]?.trim(), "tools of acme\ntools of acme\nuploaded\ndev\none");
    const packs = packsOf("imaged", first);
    assert.ok(packs > 0);
    const { devcontainer } = await api.ok("GET", `/sessions/${session.id}`);
    assert.equal(devcontainer.image, "acme.example/tools:1");
    assert.deepEqual(devcontainer.honoured, ["image", "containerEnv", "onCreateCommand"]);
    assert.deepEqual(devcontainer.not_honoured, []);
    assert.equal((await eventsOf(session.id, "session.devcontainer_read")).length, 1);
    assert.equal((await eventsOf(session.id, "session.container_started")).length, 2);
    assert.equal((await eventsOf(session.id, "session.resource_ready")).length, 3);
    assert.deepEqual(await eventsOf(session.id, "session.error"), []);
    // Without an image it is cloned as often.
    const plain = await ownRepository("unimaged", { onCreateCommand: "true" });
    const before = host.requests.length;
    await runTurn(api, (await sessionWith([plain])).id, bash("true"));
    assert.equal(packs, packsOf("unimaged", before));
    // The choice holds, whatever becomes of the file.
    await runTurn(api, session.id, bash("echo '{}' >imaged/.devcontainer.json; echo kept >/data/kept"));
    await killAndStart();
    const later = await runTurn(api, session.id, bash("cat /etc/acme kept imaged/.git/made; echo $MODE"));
    assert.match(toolResults(later)[0] ?? "", /^tools of acme\nkept\ntools of acme\ndev(\n|$)/);
    assert.equal((await eventsOf(session.id, "session.devcontainer_read")).length, 1);
  },
  SKIP,
);

covers(
  ["devcontainer-image"],
  "devcontainer image: one that the engine lacks or cannot run is named, and the session goes on with its usual image; its environment's own comes first",
  async () => {
    await engine.makeImage("acme.example/broken:1", { "/usr/bin/dash": "#!/bin/bash\nexit 9\n" });
    await engine.makeImage("acme.example/leaving:1", { "/etc/acme": "leaving\n" });
    const command = { onCreateCommand: "echo set up >.git/made" };
    const outcome = async (name: string, image: string, environment: Record<string, string> = {}) => {
      const session = await sessionWith([await ownRepository(name, { image, ...command })], environment);
      const show = bash(`cat ${name}/.git/made; cat /etc/acme 2>/dev/null || echo usual`);
      const events = await runTurn(api, session.id, show);
      return { id: session.id, show, seen: toolResults(events)[0] ?? "" };
    };
    const told = async (id: string) => {
      const { devcontainer } = await api.ok("GET", `/sessions/${id}`);
      const reads = await eventsOf(id, "session.devcontainer_read");
      assert.deepEqual(reads.at(-1)?.not_honoured, devcontainer.not_honoured);
      assert.equal(devcontainer.honoured.includes("image"), devcontainer.image !== null);
      const errors = (await eventsOf(id, "session.error")).map(({ error }) => [error.type, error.message]);
      return { image: devcontainer.image, not: devcontainer.not_honoured, errors };
    };
    for (const [name, image, reason] of [
      [
        "absent",
        "missing.example/none:1",
        'the image "missing.example/none:1" is not on this installation\'s container engine',
      ],
      ["broken", "acme.example/broken:1", "no sandbox starts with it"],
    ] as const) {
      const { id, seen } = await outcome(name, image);
      assert.match(seen, /^set up\nusual\s*\[The session runs without the image of \.devcontainer\.json: /);
      const error = [
        "environment_error",
        `The session runs without the image of .devcontainer.json: ${reason}.`,
      ];
      const expected = { image: null, not: [{ property: "image", reason }], errors: [error] };
      assert.deepEqual(await told(id), expected);
      await runTurn(api, id, bash("true"));
      assert.deepEqual(await told(id), expected);
    }
    const named = await outcome("second", "acme.example/leaving:1", { image: TEST_IMAGE });
    assert.match(named.seen, /^set up\nusual$/m);
    const first = { property: "image", reason: "the environment names another one" };
    assert.deepEqual(await told(named.id), { image: null, not: [first], errors: [] });
    const invalid = await outcome("invalid", "Not an image");
    const form = "it must be the name of an image, such as 'debian:bookworm'";
    assert.deepEqual(await told(invalid.id), {
      image: null,
      not: [{ property: "image", reason: form }],
      errors: [],
    });
    // One that is gone when a later container opens.
    const left = await outcome("leaving", "acme.example/leaving:1");
    assert.equal(left.seen.trim(), "set up\nleaving");
    await killAndStart();
    await engine.removeImage("acme.example/leaving:1");
    assert.match(toolResults(await runTurn(api, left.id, left.show))[0] ?? "", /^set up\nusual\[The/);
    assert.equal((await told(left.id)).errors.length, 1);
  },
  SKIP,
);
