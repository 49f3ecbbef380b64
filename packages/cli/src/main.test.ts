// Subject: the command line as a whole, as a process against a fake service.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { berth, startBerth } from "../test-support/berth.ts";
import { startService } from "../test-support/service.ts";
import { logOf, turn } from "../test-support/session.ts";

const token = { BERTH_TOKEN: "berth_pat_good" };

test("run: creates an agent and an environment once, shows the turn, archives the session, exit code 0", async (t) => {
  const service = await startService(t, turn());
  const env = { ...token, BERTH_URL: service.url, SHOP_TOKEN: "ghp_secret" };
  const args = [
    "run",
    "Fix it.\nThen push.",
    "--repo",
    "https://git.example.com/acme/shop.git",
    "--branch",
    "main",
    "--token-env",
    "SHOP_TOKEN",
  ];
  const first = await berth([...args, "--model", "rehearsal/steps"], { env });
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /^> Fix the failing test[\s\S]*\ndone · 19 s/);
  assert.match(first.stderr, /^sess_1 · rehearsal\/steps\n/);
  assert.deepEqual(
    service.calls.map(({ name }) => name),
    [
      "GET /agents",
      "POST /agents",
      "GET /environments",
      "POST /environments",
      "POST /sessions",
      "GET /sessions/sess_1/events/stream",
      "POST /sessions/sess_1/archive",
    ],
  );
  assert.deepEqual(service.calls[4]?.body, {
    agent: "agent_1",
    environment_id: "env_1",
    title: "Fix it.",
    resources: [
      {
        type: "hosted_repository",
        url: "https://git.example.com/acme/shop",
        checkout: { type: "branch", name: "main" },
        authorization_token: "ghp_secret",
      },
    ],
    initial_events: [{ type: "user.message", content: [{ type: "text", text: "Fix it.\nThen push." }] }],
  });
  service.calls.length = 0;
  const second = await berth([...args, "--keep"], { env });
  assert.equal(second.code, 0, second.stderr);
  assert.deepEqual(
    service.calls.map(({ name }) => name),
    ["GET /agents", "GET /environments", "POST /sessions", "GET /sessions/sess_1/events/stream"],
  );
});

test("run: each option has its part in the session", async (t) => {
  const service = await startService(t, turn());
  const directory = await mkdtemp(join(tmpdir(), "berth-run-"));
  t.after(() => rm(directory, { recursive: true }));
  const file = join(directory, "token");
  await writeFile(file, "ghp_of_file\n");
  const commit = "0123456789012345678901234567890123456789";
  const env = { ...token, BERTH_URL: service.url };
  const repository = ["--repo", "https://git.example.com/acme/shop", "--commit", commit];
  const place = ["--agent", "agent_9", "--environment", "env_9", "--title", "A title"];
  const { code, stderr } = await berth(["run", "x", ...place, ...repository, "--repo-token-file", file], {
    env,
  });
  assert.equal(code, 0, stderr);
  const made = service.calls.find(({ name }) => name === "POST /sessions");
  assert.deepEqual(made?.body, {
    agent: "agent_9",
    environment_id: "env_9",
    title: "A title",
    resources: [
      {
        type: "hosted_repository",
        url: "https://git.example.com/acme/shop",
        checkout: { type: "commit", sha: commit },
        authorization_token: "ghp_of_file",
      },
    ],
    initial_events: [{ type: "user.message", content: [{ type: "text", text: "x" }] }],
  });
  assert.ok(!service.calls.some(({ name }) => /\/(agents|environments)$/.test(name)));
  const tagged = ["run", "x", ...place, "--repo", "https://git.example.com/acme/shop", "--tag", "v1.0"];
  assert.equal((await berth(tagged, { env })).code, 0);
  const last = service.calls.findLast(({ name }) => name === "POST /sessions")?.body;
  assert.deepEqual(Reflect.get(last as object, "resources")[0].checkout, { type: "tag", name: "v1.0" });
  const ref = [
    "run",
    "x",
    ...place,
    "--repo",
    "https://git.example.com/acme/shop",
    "--ref",
    "refs/pull/1/head",
  ];
  assert.equal((await berth(ref, { env })).code, 0);
  const of = service.calls.findLast(({ name }) => name === "POST /sessions")?.body;
  assert.deepEqual(Reflect.get(of as object, "resources")[0].checkout, {
    type: "ref",
    name: "refs/pull/1/head",
  });
  const both = await berth(["run", "x", "--agent", "agent_9", "--model", "p/m"], { env });
  assert.deepEqual(
    [both.code, both.stderr],
    [2, "error: Set either --agent or --model, not both: an agent already has a model.\n"],
  );
});

test("run: the model is that of BERTH_MODEL, unless --model names another", async (t) => {
  const service = await startService(t, turn());
  const env = { ...token, BERTH_URL: service.url, BERTH_MODEL: "p/from-variable" };
  assert.equal((await berth(["run", "x"], { env })).code, 0);
  assert.equal((await berth(["run", "x", "--model", "p/from-flag"], { env })).code, 0);
  const made = service.calls.filter(({ name }) => name === "POST /agents");
  assert.deepEqual(
    made.map(({ body }) => Reflect.get(body as object, "model")),
    ["p/from-variable", "p/from-flag"],
  );
});

test("api: query parameters, headers, and the head of the response", async (t) => {
  const service = await startService(t, turn());
  const env = { ...token, BERTH_URL: service.url };
  const options = ["-q", "limit=7", "-H", "x-request-id: of-test"];
  const { stdout, code } = await berth(["api", "GET", "/sessions", ...options, "--include"], { env });
  assert.equal(code, 0);
  assert.match(stdout, /^HTTP 200\n[\s\S]*content-type: application\/json[\s\S]*\n\n\{"data":/);
  const [call] = service.calls;
  assert.deepEqual([call?.query.get("limit"), call?.headers["x-request-id"]], ["7", "of-test"]);
  const pages = await berth(["api", "GET", "/sessions", "--paginate"], { env });
  assert.deepEqual(
    pages.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).id),
    ["sess_1", "sess_2", "sess_3"],
  );
  const both = await berth(["api", "GET", "/sessions", "--paginate", "--include"], { env });
  assert.deepEqual([both.code, both.stdout], [2, ""]);
});

test("run --json: one line for the session and for each event; the task can come from standard input", async (t) => {
  const service = await startService(t, turn());
  const { code, stdout, stderr } = await berth(
    ["run", "-", "--model", "p/m", "--json", "--url", service.url],
    { env: token, input: "Task\n" },
  );
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(lines[0].type, "session");
  assert.deepEqual(lines.slice(1), turn());
});

for (const type of ["retries_exhausted", "refusal", "max_turns", "cancelled"] as const) {
  test(`run: the turn ends with ${type} → exit code 1, and the session stays open`, async (t) => {
    const service = await startService(t, logOf("x", { type: "session.status_idle", stop_reason: { type } }));
    const { code } = await berth(["run", "x", "--model", "p/m", "--url", service.url], { env: token });
    assert.equal(code, 1);
    assert.equal(service.calls.at(-1)?.name, "GET /sessions/sess_1/events/stream");
  });
}

test("run: calls are waiting for a reply → a hint, exit code 3, and the session stays open", async (t) => {
  const stop_reason = { type: "requires_action" as const, event_ids: ["evt_00000000000000000000000001"] };
  const service = await startService(t, logOf("x", { type: "session.status_idle", stop_reason }));
  const { code, stdout, stderr } = await berth(["run", "x", "--model", "p/m", "--url", service.url], {
    env: token,
  });
  assert.equal(code, 3);
  assert.match(stderr, /berth sessions allow sess_1 /);
  assert.match(stdout, /waiting for you/);
  assert.equal(service.calls.at(-1)?.name, "GET /sessions/sess_1/events/stream");
});

const refused = (type: "terminal" | "exhausted" | "retrying" = "terminal") => ({
  type: "session.error" as const,
  error: {
    type: "repository_authentication_error" as const,
    message: "The host accepted no credential (401).",
    retry_status: { type },
    resource_id: "sesr_1",
  },
});
const cancelled = { type: "session.status_idle" as const, stop_reason: { type: "cancelled" as const } };

for (const type of ["terminal", "exhausted"] as const) {
  test(`run: the repository could not be cloned (${type}) → the agent is stopped, its reason, exit code 1`, async (t) => {
    const [working, failed, idle] = logOf("Looking around", refused(type), cancelled);
    assert.ok(working && failed && idle);
    const service = await startService(t, [working]);
    const sent = service.called("POST /sessions/sess_1/events");
    const { child, ended } = startBerth(["run", "x", "--model", "p/m"], {
      env: { ...token, BERTH_URL: service.url },
    });
    await once(child.stdout, "data");
    service.append(failed);
    assert.deepEqual((await sent).body, { events: [{ type: "user.interrupt" }] });
    service.append(idle);
    const { code, stdout, stderr } = await ended;
    assert.equal(code, 1);
    assert.match(stdout, /repository_authentication_error: The host accepted no credential \(401\)\./);
    assert.match(
      stderr,
      /The agent is stopped: it has no repository\. To continue in this case: --without-failed-repositories/,
    );
  });
}

test("run: the repository could not be cloned, --quiet → the reason and exit code 1", async (t) => {
  const service = await startService(t, logOf(refused(), cancelled));
  const env = { ...token, BERTH_URL: service.url };
  const { code, stdout, stderr } = await berth(["run", "x", "--model", "p/m", "--quiet"], { env });
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^The host accepted no credential \(401\)\.\nThe agent is stopped/m);
});

test("run: the repository could not be cloned, --without-failed-repositories → the agent goes on, exit code 0", async (t) => {
  const done = { type: "session.status_idle" as const, stop_reason: { type: "end_turn" as const } };
  const service = await startService(t, logOf(refused(), "Done without it.", done));
  const env = { ...token, BERTH_URL: service.url };
  const given = ["run", "x", "--model", "p/m", "--without-failed-repositories"];
  const { code, stdout, stderr } = await berth(given, { env });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Done without it\./);
  assert.ok(!service.calls.some(({ name }) => name === "POST /sessions/sess_1/events"));
});

test("run: the repository could not be cloned, though the turn succeeded → exit code 1", async (t) => {
  const error = {
    type: "repository_not_found_error" as const,
    message: "Not found.",
    retry_status: { type: "terminal" as const },
    resource_id: "sesr_1",
  };
  const log = logOf(
    { type: "session.error", error },
    { type: "session.status_idle", stop_reason: { type: "end_turn" } },
  );
  const service = await startService(t, log);
  const { code, stdout } = await berth(["run", "x", "--model", "p/m", "--url", service.url], { env: token });
  assert.equal(code, 1);
  assert.match(stdout, /repository_not_found_error: Not found\. \(acme\/shop/);
});

test("run: a clone fails after the end of the turn → exit code 1", async (t) => {
  const error = {
    type: "repository_not_found_error" as const,
    message: "Not found.",
    retry_status: { type: "terminal" as const },
    resource_id: "sesr_1",
  };
  const [idle, failed] = logOf(
    { type: "session.status_idle", stop_reason: { type: "end_turn" } },
    { type: "session.error", error },
  );
  assert.ok(idle && failed);
  const service = await startService(t, [idle]);
  const { child, ended } = startBerth(["run", "x", "--model", "p/m"], {
    env: { ...token, BERTH_URL: service.url },
  });
  await once(child.stdout, "data");
  service.append(failed);
  const { code, stdout } = await ended;
  assert.equal(code, 1);
  assert.match(stdout, /^done\n\nrepository_not_found_error: Not found\./);
});

test("run: Ctrl-C → the session is interrupted, exit code 130", async (t) => {
  const service = await startService(t, logOf("x"));
  const opened = service.called("GET /sessions/sess_1/events/stream");
  const { child, ended } = startBerth(["run", "x", "--model", "p/m"], {
    env: { ...token, BERTH_URL: service.url },
  });
  await opened;
  const sent = service.called("POST /sessions/sess_1/events");
  child.kill("SIGINT");
  assert.deepEqual((await sent).body, { events: [{ type: "user.interrupt" }] });
  service.append(
    ...logOf(
      "x",
      { type: "user.interrupt" },
      { type: "session.status_idle", stop_reason: { type: "cancelled" } },
    ).slice(1),
  );
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 130);
  assert.match(stdout, /interrupt\n\ninterrupted\n$/);
  assert.match(stderr, /Interrupting/);
});

test("run: a second Ctrl-C → the session stays running", async (t) => {
  const service = await startService(t, logOf("x"));
  const opened = service.called("GET /sessions/sess_1/events/stream");
  const { child, ended } = startBerth(["run", "x", "--model", "p/m"], {
    env: { ...token, BERTH_URL: service.url },
  });
  await opened;
  const sent = service.called("POST /sessions/sess_1/events");
  child.kill("SIGINT");
  await sent;
  child.kill("SIGINT");
  const { code, stderr } = await ended;
  assert.equal(code, 130);
  assert.match(stderr, /berth sessions attach sess_1/);
});

test("sessions list: a table without control characters, or one JSON document", async (t) => {
  const service = await startService(t, []);
  const env = { ...token, BERTH_URL: service.url };
  const { stdout } = await berth(["sessions", "list", "--status", "idle", "running"], { env });
  assert.deepEqual(stdout.split("\n").slice(0, 3), [
    "ID      STATUS  LAST ACTIVE       MODEL            TITLE",
    "sess_1  done    2026-11-21 10:00  rehearsal/steps  First",
    "sess_2  done    2026-11-21 10:00  rehearsal/steps  Second",
  ]);
  assert.equal(
    decodeURIComponent(String(service.calls[0]?.query)),
    "limit=20&statuses[]=idle&statuses[]=running&sort=created_at",
  );
  const filters = ["--title", "fix it", "--owner", "usr_1", "--deployment", "dep_1", "--waiting"];
  const standing = ["--outcome", "refusal", "--clone-failed", "--set-aside", "--sort", "updated_at"];
  const options = ["--limit", "2", "--json", "--archived", ...filters, ...standing];
  const json = JSON.parse((await berth(["sessions", "list", ...options], { env })).stdout);
  assert.deepEqual(Object.fromEntries(new URLSearchParams(String(service.calls.at(-1)?.query))), {
    ...{ limit: "2", include_archived: "true", title: "fix it", owner_id: "usr_1", requires_action: "true" },
    ...{ "outcomes[]": "refusal", repository_failed: "true", set_aside: "true", sort: "updated_at" },
    deployment_id: "dep_1",
  });
  assert.deepEqual([json.data.length, json.has_more], [2, true]);
  await berth(["sessions", "list", "--search", "flaky upload", "--shared-with-me"], { env });
  assert.deepEqual(Object.fromEntries(new URLSearchParams(String(service.calls.at(-1)?.query))), {
    ...{ limit: "20", sort: "updated_at", search: "flaky upload", shared_with_me: "true" },
  });
  await berth(["sessions", "list", "--outcome", "waiting", "failed", "done", "--unseen", "--mine"], { env });
  assert.equal(
    decodeURIComponent(String(service.calls.at(-1)?.query)),
    "limit=20&outcomes[]=requires_action&outcomes[]=retries_exhausted&outcomes[]=refusal&outcomes[]=end_turn&sort=created_at&mine=true&unseen=true",
  );
});

test("sessions get, send, interrupt, archive and logs", async (t) => {
  const service = await startService(t, turn());
  const env = { ...token, BERTH_URL: service.url };
  const sessions = async (...args: string[]) => (await berth(["sessions", ...args], { env })).stdout;
  assert.match(
    await sessions("get", "sess_1"),
    /\nresource {5}sesr_1 {2}https:\/\/git\.example\.com\/acme\/shop → \/data\/shop\n/,
  );
  const costs = (await sessions("get", "sess_1"))
    .split("\n")
    .filter((line) => /^(from|cost|comp)/.test(line));
  assert.deepEqual(
    costs.map((line) => line.split(/ {2,}/)),
    [
      ["from cache", "44.4%"],
      ["cost", "$0.01"],
      ["compactions", "2: 90,000 tokens not read again, worth 3,310 at the full price after their cost"],
    ],
  );
  assert.equal(JSON.parse(await sessions("get", "sess_1", "--json")).id, "sess_1");
  assert.equal(await sessions("send", "sess_1", "Go on"), "evt_sent_0\n");
  assert.deepEqual(service.calls.at(-1)?.body, {
    events: [{ type: "user.message", content: [{ type: "text", text: "Go on" }] }],
  });
  assert.equal(await sessions("interrupt", "sess_1"), "evt_sent_0\n");
  assert.equal(await sessions("archive", "sess_1"), "sess_1\n");
  assert.match(await sessions("logs", "sess_1"), /^> Fix[\s\S]*done · 19 s[^\n]*\n$/);
  const lines = (await sessions("logs", "sess_1", "--json")).trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    turn(),
  );
});

test("sessions logs -f: follows the log until the session is terminated", async (t) => {
  const service = await startService(t, logOf("x"));
  const opened = service.called("GET /sessions/sess_1/events/stream");
  const { ended } = startBerth(["sessions", "logs", "-f", "sess_1"], {
    env: { ...token, BERTH_URL: service.url },
  });
  await opened;
  service.append(...logOf("x", { type: "session.status_terminated" }).slice(1));
  assert.deepEqual(await ended, { code: 0, stdout: "> x\n\nterminated\n", stderr: "" });
});

test("an API error is printed to stderr with message, type, param and request id; stdout is empty", async (t) => {
  const service = await startService(t, []);
  const { code, stdout, stderr } = await berth(["sessions", "get", "sess_x"], {
    env: { ...token, BERTH_URL: service.url },
  });
  assert.deepEqual([code, stdout], [1, ""]);
  assert.equal(
    stderr,
    "error: It was refused.\n  type: not_found_error\n  field: session_id\n  request_id: req_77\n",
  );
});

test("a rejected or missing token → exit code 4", async (t) => {
  const service = await startService(t, []);
  const env = { BERTH_URL: service.url };
  assert.equal(
    (await berth(["sessions", "list"], { env: { ...env, BERTH_TOKEN: "berth_pat_bad" } })).code,
    4,
  );
  const missing = await berth(["sessions", "list"], { env });
  assert.deepEqual([missing.code, /berth bootstrap/.test(missing.stderr)], [4, true]);
});

const wrong: [name: string, args: string[], says: RegExp][] = [
  ["an unknown option", ["run", "x", "--speed"], /unknown option '--speed'/],
  ["an unknown command", ["fly"], /unknown command 'fly'/],
  ["a noun without a verb", ["sessions"], /Usage: berth sessions/],
  ["a missing argument", ["run"], /missing required argument 'task'/],
  ["an empty task", ["run", " "], /The task is empty/],
  ["no server", ["sessions", "list"], /No service is set/],
  ["a limit that is no number", ["sessions", "list", "--limit", "0"], /positive integer/],
  ["a branch without a repository", ["run", "x", "--branch", "b"], /--branch needs --repo/],
  [
    "a variable that is not set",
    ["run", "x", "--repo", "https://h/o/r", "--token-env", "NO_SUCH"],
    /'NO_SUCH' is not set/,
  ],
  [
    "an address with credentials",
    ["run", "x", "--repo", "https://me:hunter2@h/o/r"],
    /must not contain credentials/,
  ],
  ["an address that is none", ["run", "x", "--repo", "r"], /must be a URL/],
];
for (const [name, args, says] of wrong) {
  test(`wrong usage: ${name} → exit code 2 and a message on stderr`, async () => {
    const { code, stdout, stderr } = await berth(args, { env: token });
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, says);
    assert.doesNotMatch(stderr, /hunter2/);
  });
}

test("flags take precedence over variables, variables over client.json", async (t) => {
  const service = await startService(t, []);
  const dir = await mkdtemp(join(tmpdir(), "berth-cli-"));
  t.after(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, "good"), "berth_pat_good\n");
  await writeFile(join(dir, "client.json"), JSON.stringify({ url: service.url, token_file: "good" }));
  const list = async (args: string[], env: Record<string, string> = {}) =>
    (await berth(["sessions", "list", ...args], { env: { BERTH_DATA_DIR: dir, ...env } })).code;
  const good = join(dir, "good");
  assert.equal(await list([]), 0);
  assert.equal(await list([], { BERTH_TOKEN: "bad" }), 4);
  assert.equal(await list(["--token-file", good], { BERTH_TOKEN: "bad" }), 0);
  assert.equal(await list(["--data-dir", dir], { BERTH_DATA_DIR: "/" }), 0);
  await writeFile(join(dir, "client.json"), JSON.stringify({ url: "http://127.0.0.1:1" }));
  assert.equal(await list([], { BERTH_TOKEN_FILE: good, BERTH_URL: service.url }), 0);
  assert.equal(
    await list(["--url", service.url, "--data-dir", "/"], { ...token, BERTH_URL: "http://[::" }),
    0,
  );

  await writeFile(join(dir, "client.json"), JSON.stringify({ url: service.url, token_file: "good" }));
  const seen = service.calls.length;
  assert.equal(
    await list([], { BERTH_URL: service.url.replace("127.0.0.1", "localhost") }),
    4,
    "its token is for its own address",
  );
  assert.equal(service.calls.length, seen);
});

test("a hostile client.json cannot send a token to another machine or name a file outside the data directory", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "berth-cli-"));
  t.after(() => rm(dir, { recursive: true }));
  for (const file of [
    { url: "http://192.0.2.1:1" },
    { url: "http://127.0.0.1:1", token_file: "../../etc/passwd" },
  ]) {
    await writeFile(join(dir, "client.json"), JSON.stringify(file));
    const { code, stderr } = await berth(["sessions", "list"], { env: { ...token, BERTH_DATA_DIR: dir } });
    assert.deepEqual([code, /No service is set/.test(stderr)], [2, true]);
  }
});

test("options before a command count as those behind it", async (t) => {
  const service = await startService(t, turn());
  for (const args of [
    ["--url", service.url, "sessions", "logs", "sess_1"],
    [`--url=${service.url}`, "--json", "sessions", "logs", "sess_1"],
    ["sessions", "--url", service.url, "logs", "sess_1", "--quiet"],
  ]) {
    const { code, stderr } = await berth(args, { env: token });
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
  }
  const wrong = await berth(["--yes", "sessions", "logs", "sess_1"], { env: token });
  assert.deepEqual([wrong.code, wrong.stderr.split("\n")[0]], [2, "error: unknown option '--yes'"]);
});

test("--version and --help: printed to stdout, exit code 0, without loading the server", async () => {
  assert.match((await berth(["--version"])).stdout, /^\d+\.\d+\.\d+\n$/);
  // The sources are tested, since a bundle has the same imports.
  const run = (args: string[]) => {
    const env = { PATH: process.env.PATH, XDG_CONFIG_HOME: "/nonexistent" };
    const command = [`--import=${refuseToLoad}`, join(import.meta.dirname, "main.ts"), ...args];
    return spawnSync(process.execPath, command, { encoding: "utf8", env });
  };
  assert.match(run(["sessions", "list"]).stderr, /was loaded/, "the refusal works");
  for (const args of [["--help"], ["run", "--help"], ["sessions", "list", "--help"]]) {
    const { status, stdout, stderr } = run(args);
    assert.deepEqual([status, stderr], [0, ""]);
    assert.match(stdout, /^Usage: berth/);
  }
});

/** Makes the process fail if it loads the server or the client. */
const refuseToLoad = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  const load = (url, context, next) => {
    if (/packages\\/(server|api|runs|store|sdk\\/src\\/(?!operations|examples))/.test(url)) throw new Error(url + " was loaded");
    return next(url, context);
  };
  registerHooks({ load });`)}`;

test("logs: an unknown session → a one-line error", async (t) => {
  const service = await startService(t, []);
  const { code, stderr } = await berth(["sessions", "logs", "sess_2", "--url", service.url], { env: token });
  assert.equal(code, 1);
  assert.match(stderr, /^error: It was refused\.\n {2}type: not_found_error\n/);
});
