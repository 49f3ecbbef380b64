import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import {
  type EngineKind,
  startTestEngine,
  TEST_IMAGE,
  type TestEngine,
} from "../../container-engine/container-engine.ts";
import { waitForPid } from "../../crash/processes.ts";
import { type GitHost, startGitHost } from "../../git-host/git-host.ts";
import { type NpmRegistry, programThatPrints, startNpmRegistry } from "../../npm-registry/npm-registry.ts";
import { type AnyJson, type Api, assertError, type Json } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../harness/fixtures.ts";
import { providerSettings } from "../harness/provider-settings.ts";
import { sharedSystem } from "../harness/root-filesystem.ts";
import { readEventsUntil } from "../harness/stream.ts";

/** The engine of sandboxes that are containers; undefined for those of bubblewrap. */
const CONTAINERS = process.env.TEST_CONTAINERS as EngineKind | undefined;
const SYSTEM = CONTAINERS === undefined ? sharedSystem() : { settings: {}, skip: "sandboxes run an image" };
const HAS_NO_LAYERS = SYSTEM.skip !== false;
const NODE = `node-linux-${process.arch}`;
let directory: string;
let engine: TestEngine | undefined;
let npm: NpmRegistry;
let host: GitHost;
let berth: Berth;
let api: Api;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "runtimes-"));
  npm = await startNpmRegistry(directory);
  for (const version of ["20.1.0", "22.1.0", "22.2.0"])
    await npm.publish(NODE, version, programThatPrints("bin/node", `node ${version}`));
  for (const version of ["10.1.0", "11.1.0"])
    await npm.publish("npm", version, {
      ...programThatPrints("bin/npm-cli.js", `npm ${version}`),
      ...programThatPrints("bin/npx-cli.js", `npx ${version}`),
    });
  await npm.publish("corepack", "0.34.1", programThatPrints("dist/corepack.js", "corepack"));
  await npm.publish("yarn", "1.22.22", programThatPrints("bin/yarn.js", "yarn 1.22.22"));
  await npm.publish("python-of-us", "3.12.7", programThatPrints("bin/python3", "python 3.12.7"));
  await npm.publish("uv-of-us", "0.9.9", programThatPrints("uv", "uv 0.9.9"));
  const byUrl = (name: string, version: string, programs: object) => {
    const url = `${npm.url}/${name}/-/${version}.tgz`;
    const archive = { url, sha256: npm.sha256Of(name, version), strip: 1, programs };
    return [{ from: "url", versions: { [version]: { x64: archive, arm64: archive } } }];
  };
  const runtimesFile = join(directory, "runtimes.json");
  const uv = byUrl("uv-of-us", "0.9.9", { uv: "uv" });
  const python = byUrl("python-of-us", "3.12.7", {});
  await writeFile(runtimesFile, JSON.stringify({ uv, python }));
  host = await startGitHost();
  await host.createRepository({ org: "acme", name: "app", private: true, files: { "a.txt": "a\n" } });
  if (CONTAINERS !== undefined) engine = await startTestEngine(CONTAINERS);
  const settings = providerSettings(host);
  berth = await Berth.start({
    settings: {
      ...settings,
      ...SYSTEM.settings,
      ...(engine && {
        BERTH_SANDBOX: "docker",
        BERTH_DOCKER_SOCKET: engine.socket,
        BERTH_DOCKER_IMAGE: TEST_IMAGE,
      }),
      BERTH_NPM_REGISTRY: npm.url,
      BERTH_RUNTIMES_FILE: runtimesFile,
      BERTH_GIT_CA_FILES: JSON.stringify([{ host: npm.host, ca_file: npm.caFile }]),
      BERTH_EGRESS_ALLOW_PRIVATE: [settings.BERTH_EGRESS_ALLOW_PRIVATE, npm.host].filter(Boolean).join(" "),
      BERTH_SANDBOX_IDLE_SECONDS: "0",
    },
  });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  await engine?.close();
  await host.stop();
  await npm.stop();
  await rm(directory, { recursive: true, force: true });
});

async function sessionWith(config: AnyJson, resources: Json[] = [], client = api): Promise<AnyJson> {
  const [agent, environment] = await Promise.all([
    makeAgent(client),
    makeEnvironment(client, { config: { type: "cloud", ...config } }),
  ]);
  return await client.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id, resources });
}

/** Returns a repository as a resource of a session. */
function cloned(name: string, fields: Record<string, Json> = {}): Json {
  const token = host.createToken({ user: "robot", permissions: "write" });
  return {
    type: "hosted_repository",
    url: `${host.url}/acme/${name}`,
    authorization_token: token,
    ...fields,
  };
}

/** Returns what a session's log says that it chose; each only once. */
async function choiceOf(session: string): Promise<AnyJson> {
  const { data } = await api.ok("GET", `/sessions/${session}/events?types[]=session.runtimes_chosen`);
  assert.equal(data.length, 1);
  const { runtimes, missing, ignored } = data[0];
  return { runtimes, missing, ignored };
}

const errorsOf = (events: AnyJson[]): AnyJson[] =>
  events.filter(({ type }) => type === "session.error").map(({ error }) => error);

covers(
  ["runtimes-chosen"],
  "runtimes: the newest of a line is chosen when it is written; what is not to be had is 400 with what is",
  async () => {
    const listed = (await api.ok("GET", "/runtimes")).data;
    const node = listed.find(({ id }: AnyJson) => id === "node");
    assert.deepEqual(
      node.versions.map(({ version }: AnyJson) => version),
      ["22.2.0", "22.1.0", "20.1.0"],
    );
    const made = await makeEnvironment(api, {
      config: { type: "cloud", runtimes: { node: "22", uv: "latest" } },
    });
    assert.deepEqual(made.config.resolved_runtimes, [
      { runtime: "node", requested: "22", version: "22.2.0", source: "npm" },
      { runtime: "uv", requested: "latest", version: "0.9.9", source: "url" },
    ]);
    const refused = await api.post("/environments", {
      name: "refused",
      config: { type: "cloud", runtimes: { node: "18" } },
    });
    assertError(refused, 400, "invalid_request_error", { param: "config.runtimes.node" });
    assert.match(JSON.stringify(refused.body), /does not have\. It has 20\.1\.0 and 22\.2\.0\./);
  },
);

covers(
  ["runtimes-in-sessions", "runtimes-shared"],
  "runtimes: several at once are first on the PATH of commands, setup scripts and repositories; others use them without a network",
  async () => {
    const show = 'which node uv; node; npm; uv; echo "$PATH"';
    const config = {
      runtimes: { node: "22.1", uv: "0.9" },
      ...(HAS_NO_LAYERS ? {} : { setup_script: "node >/etc/setup-node" }),
      repository_setup_script: "node >.git/setup-node; uv >>.git/setup-node",
    };
    const session = await sessionWith(config, [cloned("app")]);
    const files = HAS_NO_LAYERS ? "app/.git/setup-node" : "/etc/setup-node app/.git/setup-node";
    const events = await runTurn(api, session.id, bash(`${show}; cat ${files}`));
    assert.deepEqual(errorsOf(events), []);
    const lines = toolResults(events).at(-1)?.trim().split("\n") ?? [];
    assert.deepEqual(lines.slice(0, 5), [
      ...["/mnt/session/bin/node", "/mnt/session/bin/uv"],
      ...["node 22.1.0", "npm 10.1.0", "uv 0.9.9"],
    ]);
    assert.match(lines[5] ?? "", /^\/opt\/berth\/bin:\/mnt\/session\/bin:/);
    const setUp = HAS_NO_LAYERS ? ["node 22.1.0", "uv 0.9.9"] : ["node 22.1.0", "node 22.1.0", "uv 0.9.9"];
    assert.deepEqual(lines.slice(6), setUp);
    npm.off();
    try {
      const other = await berth.client({ org: "elsewhere", user: "someone@elsewhere.example" });
      const shared = await sessionWith({ runtimes: { node: "22.1" } }, [], other);
      const seen = await runTurn(other, shared.id, bash("node; command -v uv || echo none"));
      assert.deepEqual(errorsOf(seen), []);
      assert.match(toolResults(seen).at(-1) ?? "", /^node 22\.1\.0\nnone/);
    } finally {
      npm.on();
    }
    const plain = await sessionWith({});
    const without = await runTurn(
      api,
      plain.id,
      bash("ls /opt/runtimes /mnt/session/bin 2>&1; which uv || echo none"),
    );
    assert.match(toolResults(without).at(-1) ?? "", /No such file[\s\S]*none/);
  },
);

covers(
  ["runtimes-missing"],
  "runtimes: one that cannot be installed is reported, its program says why, and the session goes on",
  async () => {
    const config = { runtimes: { node: "20", uv: "0.9" } };
    npm.tamper(NODE, "20.1.0");
    const session = await sessionWith(config);
    const events = await runTurn(api, session.id, bash("uv; node; echo $?"));
    const [error, ...more] = errorsOf(events);
    assert.deepEqual(more, []);
    assert.equal(error.type, "environment_error");
    assert.match(
      error.message,
      /^The session runs without Node\.js 20\.1\.0: the file at https:.* has another digest than/,
    );
    assert.match(
      toolResults(events).at(-1) ?? "",
      /^uv 0\.9\.9\nNode\.js 20\.1\.0 could not be installed: the file at .*\n127/,
    );
    assert.match(JSON.stringify(events), /"text":"\[The session runs without Node\.js/);
    await npm.publish(NODE, "20.1.0", programThatPrints("bin/node", "node 20.1.0"));
  },
);

covers(
  ["runtimes-from-repositories", "runtimes-missing"],
  "runtimes auto: chosen from files before the script and the first command, told with their lines, and kept; what is missing says so",
  async () => {
    const files = {
      ".nvmrc": "# ours\n\nv22.1.0\n",
      ".python-version": "3.12\n",
      ".tool-versions": "ruby 3.4.1\n",
      "package.json": '{\n  "engines": { "node": ">=99" },\n  "packageManager": "pnpm@1.2.3"\n}\n',
      "go.mod": "module a\n\ngo 1.99\n",
    };
    await host.createRepository({ org: "acme", name: "tools", private: true, files });
    await host.createRepository({
      ...{ org: "acme", name: "other", private: true },
      files: { ".nvmrc": "20\n", "mise.toml": '[tools]\nuv = "0.9"\n' },
    });
    const made = await makeEnvironment(api, { config: { type: "cloud", runtimes: "auto" } });
    assert.deepEqual([made.config.runtimes, made.config.resolved_runtimes], ["auto", []]);
    const config = { runtimes: "auto", repository_setup_script: "node >.git/setup-node" };
    const session = await sessionWith(config, [cloned("tools"), cloned("other")]);
    assert.equal(session.chosen_runtimes, null);
    const show =
      "node; npm; python3; pip; uv; which node; cat tools/.git/setup-node; go version; echo $?; pnpm";
    const events = await runTurn(api, session.id, bash(show));
    assert.deepEqual(errorsOf(events), []);
    assert.match(
      toolResults(events).at(-1) ?? "",
      new RegExp(
        [
          ...["node 22.1.0", "npm 10.1.0", "python 3.12.7", "python 3.12.7", "uv 0.9.9"],
          ...["/mnt/session/bin/node", "node 22.1.0"],
          ...["go 1.99 \\(from go.mod line 3\\) is not available here; available: 1.24[0-9., ]*", "127"],
          "pnpm 1.2.3 \\(from package.json line 3\\) is not available here; no other version is either",
        ].join("\n"),
      ),
    );
    const [first, second] = session.resources.map(({ id }: AnyJson) => id);
    const from = (file: string, line: number | null, resource_id = first) => ({ resource_id, file, line });
    const chosen = await choiceOf(session.id);
    assert.deepEqual(chosen.runtimes, [
      { runtime: "node", version: "22.1.0", asked: "v22.1.0", ...from(".nvmrc", 3) },
      { runtime: "python", version: "3.12.7", asked: "3.12", ...from(".python-version", 1) },
      { runtime: "uv", version: "0.9.9", asked: "0.9", ...from("mise.toml", 2, second) },
    ]);
    assert.deepEqual(
      chosen.missing.map(({ available: _, ...one }: AnyJson) => one),
      [
        { runtime: "go", asked: "1.99", ...from("go.mod", 3) },
        { runtime: "pnpm", asked: "1.2.3", ...from("package.json", 3) },
      ],
    );
    const node = "is not followed: line 3 of .nvmrc";
    assert.deepEqual(chosen.ignored, [
      { ...from("package.json", 2), reason: `node >=99 ${node} asks for v22.1.0` },
      { ...from(".nvmrc", 1, second), reason: `node 20 ${node} of another repository asks for v22.1.0` },
      { ...from(".tool-versions", 1), reason: "Berth has no runtime 'ruby'" },
    ]);
    assert.deepEqual((await api.ok("GET", `/sessions/${session.id}`)).chosen_runtimes, chosen);
    // The agent may change the file: what was chosen stays, also in the next container.
    const later = await runTurn(api, session.id, bash("echo 20 >tools/.nvmrc; node; go; echo $?"));
    assert.match(toolResults(later).at(-1) ?? "", /^node 22\.1\.0\ngo 1\.99 \(from .*\n127/);
    const next = await runTurn(api, session.id, bash("node; java -version || cat tools/.nvmrc"));
    assert.match(toolResults(next).at(-1) ?? "", /^node 22\.1\.0\n/);
    assert.deepEqual(errorsOf([...later, ...next]), []);
    assert.deepEqual(await choiceOf(session.id), chosen);
    // With the snapshots that the first session left.
    const again = await sessionWith(config, [cloned("tools"), cloned("other")]);
    const seen = await runTurn(api, again.id, bash("node; cat tools/.git/setup-node other/.git/setup-node"));
    assert.match(
      toolResults(seen).at(-1) ?? "",
      /^(node 22\.1\.0\n?){3}\[go 1\.99 \(from go\.mod line 3\) is not/,
    );
  },
);

covers(
  ["runtimes-from-repositories"],
  "runtimes auto: no repository, none that asks, a file that is no text and a runner that is killed → the session goes on with one choice",
  async () => {
    const files = {
      "mise.toml": "[tools\n",
      ".nvmrc": "\u0000\n",
      "rust-toolchain": "x".repeat(300_000),
      // Of a lock file the beginning is enough.
      "yarn.lock": `# yarn lockfile v1\n${"x".repeat(300_000)}`,
    };
    await host.createRepository({ org: "acme", name: "odd", private: true, files });
    const alone = await sessionWith({ runtimes: "auto" });
    await runTurn(api, alone.id, bash("true"));
    assert.equal((await api.ok("GET", `/sessions/${alone.id}`)).chosen_runtimes, null);
    const plain = await sessionWith({ runtimes: "auto" }, [cloned("app")]);
    await runTurn(api, plain.id, bash("true"));
    assert.deepEqual(await choiceOf(plain.id), { runtimes: [], missing: [], ignored: [] });
    const odd = await sessionWith({ runtimes: "auto" }, [cloned("odd"), cloned("tools")]);
    await readEventsUntil(api, odd.id, ({ type }) => type === "session.resource_ready");
    process.kill(await waitForPid(berth, "runner"), "SIGKILL");
    const seen = await runTurn(api, odd.id, bash("node; which node; yarn"));
    assert.match(toolResults(seen).at(-1) ?? "", /^node 22\.1\.0\n\/mnt\/session\/bin\/node\nyarn 1\.22\.22/);
    const { runtimes, ignored } = await choiceOf(odd.id);
    assert.deepEqual(
      runtimes.map(({ version, file }: AnyJson) => [version, file]),
      [
        ["22.1.0", ".nvmrc"],
        ["3.12.7", ".python-version"],
        ["1.22.22", "yarn.lock"],
      ],
    );
    const told = ignored.map(({ file, line, reason }: AnyJson) => `${file} ${line} ${reason}`);
    for (const one of [
      "mise.toml null it is not valid TOML",
      ".nvmrc null it is no text",
      "rust-toolchain null it is larger than 256 KiB",
    ])
      assert.ok(told.includes(one), told.join("\n"));
  },
);

const DEVCONTAINER = `// What acme's editors open.
{
  "name": "web",
  "image": "mcr.example/devcontainers/base",
  "features": {
    "ghcr.io/devcontainers/features/node:1": { "version": "22" },
    "ghcr.io/devcontainers/features/docker-in-docker:2": {},
  },
  "containerEnv": { "MODE": "dev", "PLACE": "\${containerWorkspaceFolder}/x", "GIT_CONFIG_COUNT": "1", "LEVEL": "low" },
  "remoteEnv": { "TEAM": "\${localEnv:TEAM:ours}", "PLACES": "\${containerEnv:PLACE}:y" },
  "forwardPorts": [3000, "localhost:9229", "db:5432"],
  "build": { "dockerfile": "Dockerfile" },
  "initializeCommand": "touch /data/host-was-here",
  "onCreateCommand": "node >.git/order; echo $MODE >>.git/order",
  "updateContentCommand": ["sh", "-c", "echo 'two words' >>.git/order"],
  "postCreateCommand": { "one": "echo a >.git/one", "other": "echo b >.git/other" },
  "privileged": true,
  "mounts": ["source=/,target=/host,type=bind"], /* no */
}
`;

covers(
  ["devcontainers"],
  "devcontainer.json: features, variables, commands in their order and ports are followed, the rest is named, and a later container has them",
  async () => {
    const files = { ".devcontainer/devcontainer.json": DEVCONTAINER, ".nvmrc": "22.1.0\n" };
    await host.createRepository({ org: "acme", name: "web", private: true, files });
    const own = { environment: { from: "devcontainer" } };
    const config = { runtimes: { uv: "0.9" }, repository_setup_script: "uv >.git/first; exit 0" };
    const [agent, environment] = await Promise.all([
      makeAgent(api),
      makeEnvironment(api, {
        config: { type: "cloud", ...config },
        environment_variables: { LEVEL: "high" },
      }),
    ]);
    const body = { agent: agent.id, environment_id: environment.id };
    const resources = [cloned("web", own), cloned("other")];
    const session = await api.ok("POST", "/sessions", { ...body, resources });
    assert.deepEqual(
      session.resources.map(({ environment }: AnyJson) => environment),
      [own.environment, null],
    );
    assert.equal(session.devcontainer, null);
    const show =
      "node; uv; cat web/.git/first web/.git/order web/.git/one web/.git/other; echo $MODE $PLACE $TEAM $PLACES $LEVEL; ls /data/host-was-here other/.git/order 2>&1 | wc -l; ls";
    const events = await runTurn(api, session.id, bash(show));
    assert.deepEqual(errorsOf(events), []);
    assert.deepEqual(toolResults(events).at(-1)?.trim().split("\n"), [
      ...["node 22.2.0", "uv 0.9.9", "uv 0.9.9", "node 22.2.0", "dev", "two words", "a", "b"],
      "dev /data/web/x ours /data/web/x:y high",
      ...["2", "other", "web"],
    ]);
    const [first] = session.resources;
    const stored = await api.ok("GET", `/sessions/${session.id}`);
    const { not_honoured, ...followed } = stored.devcontainer;
    assert.deepEqual(followed, {
      resource_id: first.id,
      file: ".devcontainer/devcontainer.json",
      error: null,
      honoured: [
        ...["features", "containerEnv", "remoteEnv"],
        ...["onCreateCommand", "updateContentCommand", "postCreateCommand", "forwardPorts"],
      ],
      image: null,
      environment_variable_names: ["MODE", "PLACE", "LEVEL", "TEAM", "PLACES"],
      forward_ports: [3000, 9229],
    });
    assert.deepEqual(not_honoured.map(({ property }: AnyJson) => property).toSorted(), [
      "build",
      "containerEnv",
      "features",
      "forwardPorts",
      "image",
      "initializeCommand",
      "mounts",
      "privileged",
    ]);
    const { runtimes } = stored.chosen_runtimes;
    const line = { resource_id: first.id, file: ".devcontainer/devcontainer.json", line: 6 };
    assert.deepEqual(runtimes, [{ runtime: "node", version: "22.2.0", asked: "22", ...line }]);
    const { data } = await api.ok("GET", `/sessions/${session.id}/events?types[]=session.devcontainer_read`);
    assert.equal(data.length, 1);
    assert.deepEqual(data[0].not_honoured, not_honoured);
    // Values may be secrets by mistake.
    for (const shown of [stored.devcontainer, data[0]])
      assert.doesNotMatch(JSON.stringify(shown), /\/data\/web\/x|"dev"|"ours"/);
    const later = await runTurn(api, session.id, bash("node; echo $MODE $LEVEL; cat web/.git/other"));
    assert.equal(toolResults(later).at(-1)?.trim(), "node 22.2.0\ndev high\nb");
    // With the snapshots that the first session left.
    const again = await api.ok("POST", "/sessions", { ...body, resources: [cloned("web", own)] });
    const seen = await runTurn(api, again.id, bash("node; cat web/.git/order"));
    assert.equal(toolResults(seen).at(-1)?.trim(), "node 22.2.0\nnode 22.2.0\ndev\ntwo words");
    const refused = await api.post("/sessions", {
      ...body,
      resources: [cloned("web", own), cloned("app", own)],
    });
    assertError(refused, 400, "invalid_request_error", { param: "resources[1].environment" });
  },
);

covers(
  ["devcontainers"],
  "devcontainer.json: none, an invalid one, and one whose command fails → the session goes on, and says so",
  async () => {
    const own = { environment: { from: "devcontainer" } };
    await host.createRepository({
      ...{ org: "acme", name: "broken", private: true },
      files: { ".devcontainer.json": '{ "features": ' },
    });
    await host.createRepository({
      ...{ org: "acme", name: "failing", private: true },
      files: {
        ".devcontainer.json":
          '{ "image": "berth-test", "onCreateCommand": "echo out of luck; exit 3", "postCreateCommand": "touch b" }',
      },
    });
    const password = host.createToken({ user: "robot", permissions: "write" });
    const plain = {
      type: "git_repository",
      url: `${host.url}/acme/failing`,
      username: "robot",
      password,
      ...own,
    };
    const readOf = async (name: string, resource: Json = cloned(name, own)) => {
      const session = await sessionWith({}, [resource]);
      const events = await runTurn(api, session.id, bash(`ls ${name}`));
      const { devcontainer, chosen_runtimes: runtimes } = await api.ok("GET", `/sessions/${session.id}`);
      assert.equal(runtimes, null);
      return { ...devcontainer, errors: errorsOf(events), seen: toolResults(events).at(-1) };
    };
    const none = await readOf("app");
    assert.deepEqual([none.file, none.errors], [null, []]);
    assert.match(none.error, /no devcontainer\.json/);
    const broken = await readOf("broken");
    assert.deepEqual(
      [broken.file, broken.error, broken.errors],
      [".devcontainer.json", "it is not valid JSON", []],
    );
    const failing = await readOf("failing", plain);
    assert.equal(failing.error, null);
    const reason = "the sandbox engine of this installation does not run container images";
    assert.deepEqual(
      [failing.image, failing.not_honoured],
      CONTAINERS === undefined ? [null, [{ property: "image", reason }]] : ["berth-test", []],
    );
    assert.match(failing.errors[0].message, /exit code 3\. The end of its output:\nout of luck/);
    assert.doesNotMatch(failing.seen ?? "", /^b$/m);
  },
);
