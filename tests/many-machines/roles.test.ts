import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { promisify } from "node:util";
import { type AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { bash, makeSession, runTurn, steps, toolResults } from "../acceptance/harness/fixtures.ts";
import { readEventsUntil, readFrames } from "../acceptance/harness/stream.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { childrenOf, commandOf } from "../crash/processes.ts";
import { type GitHost, startGitHost } from "../git-host/git-host.ts";
import { type PostgresServer, startPostgres } from "../postgres-server/postgres-server.ts";

/**
 * An API without root, and runners, each with its own data directory, on one PostgreSQL and one directory for
 * contents.
 */
const API_UID = 65_530;
const BINARY = join(import.meta.dirname, "../../bin/berth");
const POOL = 4;
const GRACE_S = 4;
/**
 * The connections of two APIs, of a runner and its supervisor, of a command, and those reserved by
 * PostgreSQL.
 */
const CONNECTIONS = 2 * (POOL + 1) + 1 * (POOL + 1 + 2) + 3 + 3;
const AS_API = ["setpriv", "--reuid", `${API_UID}`, "--regid", `${API_UID}`, "--clear-groups"];

const root = mkdtempSync(join(tmpdir(), "berth-roles-"));
const secretKey = randomBytes(32).toString("base64");
let postgres: PostgresServer;
let git: GitHost;
let config: string;
let service: Berth;
let runner: Berth;
let api: Api;

before(async () => {
  chmodSync(root, 0o755);
  postgres = await startPostgres({ databases: ["berth"], connections: CONNECTIONS });
  git = await startGitHost({ dir: join(root, "git") });
  await git.createRepository({
    org: "acme",
    name: "widget",
    private: true,
    files: { "README.md": "# Widget\n" },
  });
  config = settingsFile({
    role: "api",
    database_url: postgres.url("berth"),
    database_pool: POOL,
    blobs: directory("blobs", API_UID),
    host_grace_seconds: GRACE_S,
    sandbox_idle_seconds: 0,
    hosted_providers: [{ host: git.host, token_env: ["GH_TOKEN"], ca_file: git.caFile }],
    egress_allow_private: [git.host],
  });
  service = await startApi("api");
  runner = await startRunner("first");
  const token = await operate("bootstrap", "--user", "ada@example.com", "--role", "admin");
  api = new Api(service.url, token);
});
after(async () => {
  await runner?.kill("SIGTERM");
  await service?.kill("SIGTERM");
  await git?.stop();
  await postgres?.stop();
  rmSync(root, { recursive: true, force: true });
});

/** Creates a directory below this test's directory. */
function directory(name: string, owner = 0): string {
  const path = join(root, name);
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, owner, owner);
  return path;
}

function dataDirectory(name: string, owner = 0): string {
  const path = directory(name, owner);
  const key = join(path, "secret.key");
  writeFileSync(key, secretKey, { mode: 0o600 });
  chownSync(key, owner, owner);
  return path;
}

/** Writes the settings file of both roles, as JSON, which is valid YAML. The runner's role is a variable. */
function settingsFile(settings: Record<string, unknown>): string {
  const path = join(root, "berth.yaml");
  writeFileSync(path, JSON.stringify(settings), { mode: 0o600 });
  chownSync(path, API_UID, API_UID);
  return path;
}

async function startApi(name: string): Promise<Berth> {
  const dataDir = dataDirectory(name, API_UID);
  return await Berth.start({ dataDir, settings: { BERTH_CONFIG: config }, wrapper: AS_API });
}

/** The ids of all started runners. */
const RUNNERS: string[] = [];

async function startRunner(name: string): Promise<Berth> {
  const own = { BERTH_ROLE: "runner", BERTH_RUNNER_ADDRESS: "127.0.0.1:0" };
  const started = await Berth.start({
    dataDir: dataDirectory(name),
    settings: { BERTH_CONFIG: config, ...own },
  });
  RUNNERS.push(idOf(started));
  return started;
}

/** Runs a command like an operator: `admin` by HTTP, others on the API's host. */
async function operate(...words: string[]): Promise<string> {
  return await service.command(...words, ...(words[0] === "admin" ? [] : ["--config", config]));
}

async function status(url: string): Promise<[status: number, reason: string | undefined]> {
  const response = await fetch(url);
  const body = (await response.json()) as AnyJson;
  return [response.status, body.reason];
}

function idOf({ dataDir }: Berth): string {
  return readFileSync(join(dataDir, "installation"), "utf8").trim();
}

covers(
  ["role-api", "role-runner", "database-connections"],
  "an API without root and a runner: a session with a repository runs to its commit",
  async () => {
    const token = git.createToken({ user: "robot", permissions: "write" });
    const session = await makeSession(api, {
      resources: [
        {
          type: "hosted_repository",
          url: `${git.url}/acme/widget`,
          authorization_token: token,
          mount_path: "/work/w",
        },
      ],
    });
    const deltas: string[] = [];
    const opened = Promise.withResolvers<void>();
    const following = (async () => {
      const query = "event_deltas[]=agent.message";
      for await (const { data } of readFrames(api, session.id, { query, onOpen: opened.resolve })) {
        deltas.push(data.type);
        if (data.type === "session.status_idle") return;
      }
    })();
    await opened.promise;
    const texts = toolResults(
      await runTurn(
        api,
        session.id,
        bash("cd /work/w && echo two >> README.md && git commit -qam 'Say two' && git push -q origin HEAD"),
        bash("cd /work/w && git rev-parse HEAD && echo kept > /mnt/session/outputs/kept.txt"),
        { say: "Pushed." },
        { wait_ms: 500 },
      ),
    );
    await following;
    assert.ok(deltas.includes("event_delta"), deltas.join(" "));
    const commit = /[0-9a-f]{40}/.exec(texts.join())?.[0];
    assert.equal(await git.head("acme", "widget", "main"), commit, texts.join("\n"));
    // The API, which is not root, reads what the runner stored.
    const { data: files } = await api.ok("GET", `/files?scope_id=${session.id}`);
    assert.equal((await api.get(`/files/${files[0].id}/content`)).body, "kept\n");
    const { repositories } = await api.ok("GET", `/sessions/${session.id}/changes`);
    assert.equal(repositories.length, 1, "the runner reads the disk for the API");

    assert.match(
      readFileSync(`/proc/${service.pid}/status`, "utf8"),
      new RegExp(`^Uid:\\t${API_UID}\\t`, "m"),
    );
    assert.deepEqual(childrenOf(service.pid).map(commandOf), [], "it has no process for sessions");
    const { hosts, ready, checks } = await api.ok("GET", "/health");
    assert.deepEqual(hosts.map(({ role, sessions }: AnyJson) => `${role} ${sessions}`).sort(), [
      "api 0",
      "runner 1",
    ]);
    assert.equal(ready, true);
    assert.match(checks.find(({ name }: AnyJson) => name === "role").detail, /only serves the API/);
  },
);

covers(["role-api", "role-runner"], "each role tells its health, and a runner nothing else", async () => {
  for (const { url } of [service, runner]) {
    await waitUntil(
      async () => (await status(`${url}/readyz`))[0] === 200,
      () => `${url} is not ready`,
    );
    assert.deepEqual(await status(`${url}/livez`), [200, undefined]);
  }
  for (const path of ["/", "/console", "/openapi.json", "/docs", "/api/v1/cloud/sessions"])
    assert.equal((await fetch(`${runner.url}${path}`)).status, 404, path);
  const [ofApi, ofRunner] = await Promise.all(
    [service, runner].map(async ({ url }) => await (await fetch(`${url}/metrics`)).text()),
  );
  assert.doesNotMatch(ofApi ?? "", /berth_runner_/);
  assert.match(ofRunner ?? "", /^berth_runner_up 1$/m);
  assert.match(ofRunner ?? "", /^berth_turn_seconds_count\{outcome="[a-z_]+"\} \d/m);
});

covers(
  ["role-runner", "runner-queue", "home-takeover"],
  "the runner is killed: the API says that no session runs, sessions wait, and another runner takes them over",
  async () => {
    const session = await makeSession(api);
    await runTurn(api, session.id, bash("echo lost > /data/file"));
    await runner.kill("SIGKILL");
    await api.ok("POST", `/sessions/${session.id}/events`, {
      events: [steps(bash("cat /data/file || echo gone"))],
    });
    await waitUntil(
      async () => (await api.ok("GET", "/health")).fault === "no_runner",
      () => "the API does not notice that no service runs sessions",
    );
    assert.deepEqual(await status(`${service.url}/readyz`), [200, undefined], "it takes requests");
    const waiting = await makeSession(api, { initial_events: [steps({ say: "at last" })] });
    const since = await waitUntilDue((seconds) => seconds > 0);
    await waitUntilDue((seconds) => seconds > since);
    runner = await startRunner("second");
    await readEventsUntil(api, waiting.id, ({ type }) => type === "session.status_idle");
    await waitUntilDue((seconds) => seconds === 0);
    const log = await readEventsUntil(
      api,
      session.id,
      (event) => event.type === "session.container_reclaimed",
    );
    assert.ok(log.some(({ type }) => type === "session.status_rescheduled"));
    const texts = toolResults(await runTurn(api, session.id, bash("test -e /data/file || echo gone")));
    assert.match(texts.at(-1) ?? "", /^gone/);
    assert.equal((await api.ok("GET", "/health")).fault, null);
  },
);

/** Waits by the API's metrics. Returns how many seconds the first session has waited. */
async function waitUntilDue(isReached: (seconds: number) => boolean): Promise<number> {
  let seconds = Number.NaN;
  await waitUntil(
    async () => {
      const text = await (await fetch(`${service.url}/metrics`)).text();
      seconds = Number(/^berth_due_seconds (\S+)$/m.exec(text)?.[1]);
      return isReached(seconds);
    },
    () => `the first session has waited for ${seconds} s`,
  );
  return seconds;
}

covers(
  ["rates-over-services", "role-api", "hosts-gone"],
  "two APIs: together they let through the rate of one user; the one that stops is no longer listed, and runners are until they are forgotten",
  async () => {
    const PER_SECOND = 20;
    const other = await startApi("api-beside");
    try {
      const token = await operate("bootstrap", "--user", "bob@example.com");
      await operate(
        "admin",
        "limits",
        "set",
        "--user",
        "bob@example.com",
        `requests_per_second=${PER_SECOND}`,
      );
      let seen = "";
      await waitUntil(
        async () => {
          const { passed, denied, seconds } = await ask([service.url, other.url], token);
          seen = `${passed} passed and ${denied.join(" and ")} were denied in ${seconds} s`;
          return denied.every((count) => count > 0) && passed <= PER_SECOND * seconds + 4;
        },
        () => seen,
      );
    } finally {
      await other.kill("SIGTERM");
    }
    const { hosts } = await api.ok("GET", "/health");
    const ids: string[] = hosts.map(({ id }: AnyJson) => id);
    assert.deepEqual(
      [idOf(other), idOf(service), ...RUNNERS].map((id) => ids.includes(id)),
      [false, true, ...RUNNERS.map(() => true)],
    );
  },
);

/** Sends requests to both for a second, one after another to each. */
async function ask(urls: readonly string[], token: string) {
  const began = performance.now();
  let passed = 0;
  const denied = await Promise.all(
    urls.map(async (url) => {
      let count = 0;
      while (performance.now() - began < 1_000) {
        const { status } = await new Api(url, token).get("/agents");
        if (status === 429) count += 1;
        else passed += 1;
      }
      return count;
    }),
  );
  return { passed, denied, seconds: (performance.now() - began) / 1_000 };
}

covers(
  ["role-runner", "hosts-drain"],
  "a runner is drained, and ends as soon as its turn can go on later",
  async () => {
    const session = await makeSession(api);
    await runTurn(api, session.id, bash("echo kept > /mnt/session/outputs/kept.txt"));
    await operate("admin", "hosts", "drain", idOf(runner));
    await readEventsUntil(api, session.id, (event) => event.type === "session.container_reclaimed");
    const { data } = JSON.parse(await operate("admin", "hosts", "list", "--json"));
    const listed = data.find(({ id }: AnyJson) => id === idOf(runner));
    assert.deepEqual([listed.role, listed.draining, listed.sessions], ["runner", true, 0]);
    await operate("admin", "hosts", "drain", idOf(runner), "--cancel");
    await api.ok("POST", `/sessions/${session.id}/events`, { events: [steps(bash("sleep 2"))] });
    await readEventsUntil(
      api,
      session.id,
      (event) => event.type === "agent.tool_use" && event.input?.command === "sleep 2",
    );
    const ended = runner.kill("SIGTERM");
    await waitUntil(
      async () => (await status(`${runner.url}/readyz`).catch(() => [0, "gone"]))[1] !== undefined,
      () => "it does not say that it drains",
    );
    assert.equal(await ended, 0);
    assert.ok(!/"level":[56]0/.test(runner.log), runner.log.slice(-2_000));
  },
);

covers(["role-api"], "doctor examines what the role of the machine needs", async () => {
  const [program = "", ...words] = [...AS_API, BINARY, "doctor", "--json", "--data-dir", service.dataDir];
  const { stdout } = await promisify(execFile)(program, [...words, "--config", config]);
  const lines: AnyJson[] = JSON.parse(stdout).capabilities;
  const names = lines.map(({ name }) => name);
  assert.ok(names.includes("database") && names.includes("hosts"), names.join(" "));
  assert.deepEqual(
    names.filter((name) => /sandbox|isolation|limit|root_filesystem/.test(name)),
    [],
  );
  assert.match(lines.find(({ name }) => name === "role").detail, /only serves the API/);
});

covers(
  ["s3-move"],
  "contents are not moved while services run, from whichever machine it is asked",
  async () => {
    const places = ["--from", join(root, "blobs"), "--to", directory("moved")];
    const move = (dataDir: string) =>
      promisify(execFile)(BINARY, ["blobs", "move", ...places, "--data-dir", dataDir, "--config", config]);
    await assert.rejects(move(service.dataDir), { stderr: /Stop it first\.\n$/ });
    const sentence =
      /^error: Another service of this database is running, or was until just now\. Stop all of them first\.\n$/;
    await assert.rejects(move(dataDirectory("of-the-operator")), { stderr: sentence });
    assert.deepEqual(readdirSync(join(root, "moved")), []);
  },
);

covers(["role-egress"], "an egress tells its health, and nothing else", async () => {
  const settings = {
    BERTH_ROLE: "egress",
    BERTH_CONFIG: config,
    BERTH_EGRESS_ADDRESS: "127.0.0.1:0",
    BERTH_RUNNER_ADDRESS: "127.0.0.1:0",
  };
  const egress = await Berth.start({
    dataDir: dataDirectory("egress", API_UID),
    settings,
    wrapper: AS_API,
  });
  assert.deepEqual(await status(`${egress.url}/readyz`), [200, undefined]);
  for (const path of ["/", "/console", "/api/v1/cloud/sessions"])
    assert.equal((await fetch(`${egress.url}${path}`)).status, 404, path);
  assert.match(await (await fetch(`${egress.url}/metrics`)).text(), /berth_/);
  await egress.kill("SIGTERM");
});

/** Wrong settings of a role, as variables, and the expected error. */
const WRONG: ReadonlyArray<readonly [settings: Record<string, string>, sentence: RegExp]> = [
  [{ BERTH_ROLE: "api" }, /^error: The role api needs BERTH_DATABASE_URL, [^\n]+\.$/],
  [{ BERTH_ROLE: "runner" }, /^error: The role runner needs BERTH_DATABASE_URL, [^\n]+\.$/],
  [
    { BERTH_ROLE: "runner", BERTH_DATABASE_URL: "postgres://nowhere/db" },
    /^error: The role runner needs BERTH_BLOBS, [^\n]+\.$/,
  ],
  [{ BERTH_ROLE: "egress" }, /^error: The role egress needs BERTH_DATABASE_URL, [^\n]+\.$/],
  [{ BERTH_EGRESS_ADDRESS: "4182" }, /^error: BERTH_EGRESS_ADDRESS must be an address and a port, [^\n]+\.$/],
  [{ BERTH_EGRESS_GATEWAY: "x:0" }, /^error: BERTH_EGRESS_GATEWAY must be a host and a port, [^\n]+\.$/],
  [{ BERTH_ROLE: "both" }, /^error: BERTH_ROLE must be one of all, api, runner, egress\.$/],
  [{ BERTH_DATABASE_POOL: "3" }, /^error: BERTH_DATABASE_POOL must be an integer from 4 to 500\.$/],
  [
    { BERTH_DATABASE_DIRECT_URL: "postgres://nowhere/db" },
    /^error: BERTH_DATABASE_DIRECT_URL needs BERTH_DATABASE_URL, [^\n]+\.$/,
  ],
  [{ BERTH_RUNNER_ADDRESS: "4181" }, /^error: BERTH_RUNNER_ADDRESS must be an address and a port, [^\n]+\.$/],
  [
    {
      BERTH_ROLE: "runner",
      BERTH_DATABASE_URL: "postgres://nowhere/db",
      BERTH_BLOBS: "/nowhere",
      BERTH_RUNNER_ADDRESS: "192.0.2.1:0",
    },
    /^error: 192\.0\.2\.1 is not an address of this machine\.$/,
  ],
];

covers(["role-settings"], "roles: each wrong setting is one sentence, with exit code 2", async () => {
  const dataDir = join(root, "absent");
  await Promise.all(
    WRONG.map(async ([settings, sentence]) => {
      await assert.rejects(Berth.start({ dataDir, settings }), ({ message }: Error) => {
        const [first, ...lines] = message.trim().split("\n");
        const sentences = lines.filter((line) => !line.startsWith("{"));
        assert.deepEqual([first, sentences.length], ["serve ended with 2:", 1], message);
        assert.match(sentences[0] ?? "", sentence);
        return true;
      });
    }),
  );
  assert.ok(!existsSync(dataDir));
  // The running API uses another directory.
  const own = {
    BERTH_ROLE: "runner",
    BERTH_RUNNER_ADDRESS: "127.0.0.1:0",
    BERTH_BLOBS: directory("elsewhere"),
  };
  await assert.rejects(
    Berth.start({ dataDir: dataDirectory("apart"), settings: { BERTH_CONFIG: config, ...own } }),
    /error: Another service of this database keeps file contents elsewhere than in [^\n]+\.\n/,
  );
});
