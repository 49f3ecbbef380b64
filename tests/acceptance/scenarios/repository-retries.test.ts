import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { type Fault, Faults } from "../../git-host/faults.ts";
import { type GitHost, startGitHost } from "../../git-host/git-host.ts";
import { type AnyJson, type Api, assertError } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  makeFile,
  runTurn,
  toolResults,
  waitForTurn,
} from "../harness/fixtures.ts";
import { freePort } from "../harness/free-port.ts";
import { providerSettings } from "../harness/provider-settings.ts";
import { readEventsUntil } from "../harness/stream.ts";

const faults = new Faults();
let host: GitHost;
let berth: Berth;
let api: Api;
let token: string;
/** Reached over plain HTTP; nothing listens there until a test starts it. */
let lateHost: string;
before(async () => {
  host = await startGitHost({ intercept: faults.intercept });
  token = host.createToken({ user: "robot", permissions: "write" });
  lateHost = `git.localhost:${await freePort()}`;
  const settings = {
    ...providerSettings(host),
    BERTH_EGRESS_ALLOW_PRIVATE: `${host.host} ${lateHost}`,
    BERTH_GIT_HTTP_HOSTS: lateHost,
    BERTH_CLONE_RETRY_SECONDS: "0.05,0.1,0.2,0.2,0.2",
  };
  berth = await Berth.start({ settings });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  await host.stop();
});

interface Options {
  given?: string;
  checkout?: AnyJson;
  files?: Record<string, string>;
}

/** Creates a session with the new repository `acme/<name>`, whose next requests fail as given. */
async function open(
  name: string,
  { given = token, checkout, files = {} }: Options = {},
  ...queued: Fault[]
): Promise<AnyJson> {
  await host.createRepository({ org: "acme", name, private: true, files: { "a.txt": "a\n", ...files } });
  faults.queue(`acme/${name}`, ...queued);
  const [agent, environment] = await Promise.all([makeAgent(api), makeEnvironment(api)]);
  const repository = {
    type: "hosted_repository",
    url: `${host.url}/acme/${name}`,
    authorization_token: given,
    mount_path: "/data/r",
    ...(checkout === undefined ? {} : { checkout }),
  };
  return api.ok("POST", "/sessions", {
    agent: agent.id,
    environment_id: environment.id,
    resources: [repository],
  });
}

const retry = (session: AnyJson) => `/sessions/${session.id}/resources/${session.resources[0].id}`;
const isReady = ({ type }: AnyJson) => type === "session.resource_ready";
const isError = ({ type }: AnyJson) => type === "session.error";
const hasStatus = (status: string) => (event: AnyJson) =>
  isError(event) && event.error.retry_status.type === status;

function statuses(events: readonly AnyJson[]): string[] {
  return events.filter(isError).map(({ error }) => error.retry_status.type);
}

const SHOW = bash("cat r/a.txt || echo missing");

covers(
  ["repo-retry-rotation"],
  "token replaced while the clone runs, the old one then revoked: the turn gets the repository",
  async () => {
    const old = host.createToken({ user: "robot", permissions: "read" });
    const answer = Promise.withResolvers<void>();
    const headers = { "www-authenticate": 'Basic realm="git host"' };
    const asked = faults.queue("acme/rotated", { status: 401, headers, after: answer.promise });
    const session = await open("rotated", { given: old });
    await asked;
    const turn = runTurn(api, session.id, SHOW);
    await api.ok("POST", retry(session), { authorization_token: token });
    host.revokeToken(old);
    answer.resolve();
    assert.deepEqual(toolResults(await turn), ["a"]);
    const events = await readEventsUntil(api, session.id, isReady);
    assert.deepEqual(
      events.filter(isError).map(({ error }) => [error.type, error.retry_status.type]),
      [["repository_authentication_error", "retrying"]],
    );
  },
);

covers(
  ["repo-retry-rotation", "repo-retry-final"],
  "token denied: terminal after one attempt; the same token given again is tried at once",
  async () => {
    const narrow = host.createToken({ user: "robot", permissions: "read" });
    const headers = { "www-authenticate": 'Basic realm="git host"' };
    const denial: Fault = { status: 401, headers };
    const session = await open("denied", { given: narrow }, denial, denial);
    const failed = await readEventsUntil(api, session.id, isError);
    assert.deepEqual(statuses(failed), ["terminal"]);
    assert.deepEqual(toolResults(await runTurn(api, session.id, SHOW)).length, 1);
    await api.ok("POST", retry(session), { authorization_token: narrow });
    await readEventsUntil(api, session.id, isReady);
    const [text] = toolResults(await runTurn(api, session.id, SHOW));
    assert.match(text ?? "", /^a.*is now at \/data\/r/);
  },
);

covers(
  ["repo-retry-transient"],
  "host unavailable, limiting and dropping: retried while the command waits",
  async () => {
    const passing: Fault[] = [
      { status: 503 },
      { status: 429, headers: { "Retry-After": "1" } },
      "reset",
      { status: 500 },
    ];
    const session = await open("passing", {}, ...passing);
    const events = await runTurn(api, session.id, SHOW);
    assert.deepEqual(toolResults(events), ["a"]);
    const log = await readEventsUntil(api, session.id, isReady);
    const errors = log.filter(isError);
    assert.deepEqual(statuses(log), ["retrying", "retrying", "retrying", "retrying"]);
    assert.deepEqual([...new Set(errors.map(({ error }) => error.type))], ["repository_clone_error"]);
    assert.match(errors[0].error.message, /503/);
    assert.match(errors[1].error.message, /429/);
    const [, limited, next] = errors.map(({ created_at }) => Date.parse(created_at));
    assert.ok((next ?? 0) - (limited ?? 0) >= 1_000, "Retry-After is honoured");
  },
);

const soon = () => new Date(Date.now() + 2_000).toUTCString();
const NOISE = { "noise.txt": randomBytes(300_000).toString("base64") };
const PASSING: readonly [name: string, fault: Fault, message: RegExp, files?: Record<string, string>][] = [
  ["internal", { status: 500 }, /\(500\)/],
  ["gateway", { status: 502 }, /\(502\)/],
  ["unavailable", { status: 503, headers: { "Retry-After": "-7" } }, /\(503\)/],
  ["timeout", { status: 504 }, /\(504\)/],
  ["limited-until", { status: 429, headers: { "Retry-After": soon() } }, /\(429\)/],
  ["dropped", "reset", /connection to its host failed/],
  ["cut", { cutAfter: 100_000 }, /connection to its host failed/, NOISE],
];

covers(
  ["repo-retry-transient"],
  "each failure that passes, once: one retrying, then the repository; a pack that was cut leaves nothing",
  async () => {
    const trials = PASSING.map(async ([name, fault, message, files = {}]) => {
      const session = await open(name, { files }, fault);
      const log = await readEventsUntil(api, session.id, isReady);
      assert.deepEqual(statuses(log), ["retrying"], name);
      const [{ error }] = log.filter(isError);
      assert.equal(error.type, "repository_clone_error", name);
      assert.match(error.message, message, name);
      assert.equal(error.resource_id, session.resources[0].id);
      return session;
    });
    const cut = (await Promise.all(trials)).at(-1);
    const show = bash("cd r && git fsck && git status --porcelain && wc -c <noise.txt && ls -A ..");
    assert.match(toolResults(await runTurn(api, cut.id, show))[0] ?? "", /^400000\nr$/m);
  },
);

covers(
  ["repo-retry-transient", "repo-retry-exhausted"],
  "host that refuses connections, and one whose name does not resolve: retried; the next turn has what came meanwhile",
  async () => {
    const [agent, environment] = await Promise.all([makeAgent(api), makeEnvironment(api)]);
    const repository = (url: string, mount_path: string) => ({ type: "git_repository", url, mount_path });
    const session = await api.ok("POST", "/sessions", {
      agent: agent.id,
      environment_id: environment.id,
      resources: [
        repository(`http://${lateHost}/acme/late`, "/data/r"),
        repository("https://git.invalid/acme/none", "/data/none"),
      ],
    });
    let ended = 0;
    const log = await readEventsUntil(
      api,
      session.id,
      (event) => hasStatus("exhausted")(event) && ++ended === 2,
    );
    for (const { id } of session.resources) {
      const errors = log.filter((event) => isError(event) && event.error.resource_id === id);
      assert.deepEqual(statuses(errors), [...Array(5).fill("retrying"), "exhausted"]);
      for (const { error } of errors)
        assert.match(error.message, /connection to its host failed|cannot be resolved/);
    }
    const dir = await mkdtemp(join(tmpdir(), "git-host-"));
    const late = await startGitHost({ dir, port: Number(lateHost.split(":")[1]), plain: true });
    await late.createRepository({ org: "acme", name: "late", private: false, files: { "a.txt": "a\n" } });
    assert.match(toolResults(await runTurn(api, session.id, SHOW))[0] ?? "", /^a/);
    await late.stop();
    await rm(dir, { recursive: true, force: true });
  },
);

covers(
  ["repo-retry-exhausted"],
  "host unavailable for each of the first five attempts: the sixth clones",
  async () => {
    const session = await open("five", {}, ...Array.from({ length: 5 }, (): Fault => ({ status: 503 })));
    const log = await readEventsUntil(api, session.id, isReady);
    assert.deepEqual(statuses(log), Array(5).fill("retrying"));
    assert.deepEqual(toolResults(await runTurn(api, session.id, SHOW)), ["a"]);
  },
);

covers(
  ["repo-retry-exhausted"],
  "host unavailable for long: exhausted after five retries, then tried once in each later turn",
  async () => {
    const session = await open("long", {}, ...Array.from({ length: 7 }, (): Fault => ({ status: 503 })));
    const log = await readEventsUntil(api, session.id, hasStatus("exhausted"));
    assert.deepEqual(statuses(log), [...Array(5).fill("retrying"), "exhausted"]);
    const second = await runTurn(api, session.id, SHOW);
    assert.deepEqual(statuses(second), ["exhausted"]);
    assert.match(toolResults(second)[0] ?? "", /missing/);
    const third = await runTurn(api, session.id, SHOW);
    assert.match(toolResults(third)[0] ?? "", /^a/);
  },
);

covers(
  ["repo-retry-exhausted", "repo-retry-request"],
  "waiting for a retry: an interrupt ends the turn, a request ends the wait, and a deletion ends all",
  async () => {
    const limited: Fault = { status: 429, headers: { "Retry-After": "3600" } };
    const session = await open("limited", {}, limited, limited);
    await readEventsUntil(api, session.id, hasStatus("retrying"));
    const message = {
      type: "user.message",
      content: [{ type: "text", text: JSON.stringify({ steps: [SHOW] }) }],
    };
    const sent = await api.ok("POST", `/sessions/${session.id}/events`, { events: [message] });
    await readEventsUntil(api, session.id, ({ type }) => type === "agent.tool_use");
    await api.ok("POST", `/sessions/${session.id}/events`, { events: [{ type: "user.interrupt" }] });
    const turn = await waitForTurn(api, session.id, sent.data[0].id);
    assert.equal(turn.at(-1).stop_reason.type, "cancelled");
    await api.ok("POST", retry(session), { retry: true });
    let errors = 0;
    await readEventsUntil(api, session.id, (event) => isError(event) && ++errors === 2);
    await api.ok("DELETE", `/sessions/${session.id}`);
    assertError(await api.get(`/sessions/${session.id}`), 404, "not_found_error");
  },
);

covers(
  ["repo-retry-final"],
  "branch missing: terminal; tried again when the environment's networking changes",
  async () => {
    const session = await open("branch", { checkout: { type: "branch", name: "later" } });
    assert.deepEqual(statuses(await readEventsUntil(api, session.id, isError)), ["terminal"]);
    // Only requests for this repository count, since snapshots of the others are still being built.
    const requests = () => host.requests.filter(({ path }) => path.startsWith("/acme/branch/")).length;
    const before = requests();
    assert.match(toolResults(await runTurn(api, session.id, SHOW))[0] ?? "", /missing/);
    assert.equal(requests(), before, "the host is not asked again");
    const config = { type: "cloud", networking: { type: "unrestricted" } };
    await api.ok("POST", `/environments/${session.environment_id}`, { config });
    const events = await runTurn(api, session.id, SHOW);
    assert.deepEqual(statuses(events), ["terminal"]);
    assert.ok(requests() > before);
  },
);

const FINAL: readonly [name: string, type: string, Options, fault?: Fault][] = [
  ["forbidden", "repository_forbidden_error", {}, { status: 403 }],
  ["not-found", "repository_not_found_error", {}, { status: 404 }],
  ["no-branch", "repository_checkout_error", { checkout: { type: "branch", name: "later" } }],
  ["no-tag", "repository_checkout_error", { checkout: { type: "tag", name: "later" } }],
  ["no-commit", "repository_checkout_error", { checkout: { type: "commit", sha: "12".repeat(20) } }],
];

covers(
  ["repo-retry-final"],
  "each failure that lasts: terminal, not tried again by a turn, tried again on request and with a token",
  async () => {
    const trials = FINAL.map(async ([name, type, options, fault]) => {
      const session = await open(name, options, ...(fault === undefined ? [] : [fault]));
      const again = fault === undefined ? "session.error" : "session.resource_ready";
      const outcomes = (log: AnyJson[]) =>
        log.filter(({ type: each }) => each === again || each === "session.error");
      const until = async (count: number) => {
        let seen = 0;
        return await readEventsUntil(
          api,
          session.id,
          (event) => outcomes([event]).length > 0 && ++seen === count,
        );
      };
      const log = await until(1);
      const [{ error }] = log.filter(isError);
      assert.deepEqual([error.type, error.retry_status.type], [type, "terminal"], name);
      assert.deepEqual(statuses(await runTurn(api, session.id, SHOW)), [], name);
      await api.ok("POST", retry(session), { retry: true });
      const [, second] = outcomes(await until(2));
      assert.equal(second?.type, again, name);
      if (fault !== undefined) return;
      await api.ok("POST", retry(session), { authorization_token: token });
      assert.deepEqual(statuses(await until(3)), ["terminal", "terminal", "terminal"], name);
    });
    await Promise.all(trials);
  },
);

covers(
  ["repo-retry-request"],
  "retry: a failed clone is tried again at once, anything else is rejected",
  async () => {
    const session = await open("request", {}, { status: 404 });
    const path = retry(session);
    const failed = await readEventsUntil(api, session.id, isError);
    assert.deepEqual(statuses(failed), ["terminal"]);
    for (const body of [{ retry: false }, { retry: "yes" }, { retry: true, password: "x" }]) {
      assert.equal((await api.post(path, body)).status, 400, JSON.stringify(body));
    }
    const headers = { "idempotency-key": `retry-${session.id}` };
    const first = await api.call("POST", path, { retry: true }, { headers });
    assert.equal(first.status, 200, JSON.stringify(first.body));
    assert.equal(first.body.url, `${host.url}/acme/request`);
    await readEventsUntil(api, session.id, isReady);
    const again = await api.call("POST", path, { retry: true }, { headers });
    assert.deepEqual(again.body, first.body, "the same request is answered as before");
    assertError(await api.post(path, { retry: true }), 409, "conflict_error", { param: "retry" });
    const file = await makeFile(api, "x");
    const mounted = await api.ok("POST", `/sessions/${session.id}/resources`, {
      type: "file",
      file_id: file.id,
    });
    const other = `/sessions/${session.id}/resources/${mounted.id}`;
    assertError(await api.post(other, { retry: true }), 400, "invalid_request_error", {
      param: "resource_id",
    });
    await api.ok("POST", `/sessions/${session.id}/terminate`);
    assertError(await api.post(path, { retry: true }), 409, "conflict_error");
  },
);
