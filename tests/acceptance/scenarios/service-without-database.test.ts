import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { type AnyJson, Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { DatabaseProxy } from "../harness/database-proxy.ts";
import { bash, makeSession, runTurn, steps, toolResults, waitForTurn } from "../harness/fixtures.ts";
import { administerHost, hostOf, listHosts } from "../harness/hosts.ts";
import { readOrEmpty } from "../harness/read-or-empty.ts";
import { databaseUrlOf, settingsToShare } from "../harness/shared-database.ts";
import { readEventsUntil } from "../harness/stream.ts";
import { waitUntil } from "../harness/wait-until.ts";

const BINARY = fileURLToPath(new URL("../../../bin/berth", import.meta.url));

/** Two services on one database. The second connects through the proxy, and runs the sessions. */
const SETTINGS = { BERTH_HOST_GRACE_SECONDS: "18" };
let first: Berth;
let second: Berth;
let proxy: DatabaseProxy;
let api: Api;
before(async () => {
  first = await Berth.start({ settings: SETTINGS });
  api = await first.client();
  await administerHost(first, "drain", hostOf(first));
  proxy = await DatabaseProxy.start(databaseUrlOf(first));
  second = await Berth.start({ settings: settingsOfSecond() });
});
after(async () => {
  // Neither may have started.
  await second?.stop();
  await proxy?.stop();
  await first.stop();
});

function settingsOfSecond(): Record<string, string> {
  return {
    ...SETTINGS,
    ...settingsToShare(first),
    BERTH_DATABASE_URL: proxy.urlFor(databaseUrlOf(first)),
  };
}

covers(
  ["database-refused"],
  "the database refuses the password: a start ends in a sentence; a service that runs says so, and goes on when it is accepted",
  async () => {
    proxy.deny();
    await assert.rejects(
      Berth.start({ settings: settingsOfSecond() }),
      /^Error: serve ended with 1:\nerror: The database refuses this service: password authentication failed for user "berth"\n$/,
    );
    await readyzSays(503, "database");
    const { status, body } = await new Api(second.url, api.token).get("/agents");
    assert.deepEqual([status, body.error.message], [500, "The service cannot reach its database."]);
    await second.logged(/The database refuses this service: password authentication failed/);
    proxy.pass();
    await readyzSays(200);
    const session = await makeSession(api);
    assert.deepEqual(toolResults(await runTurn(api, session.id, bash("echo on"))), ["on"]);
  },
);

covers(
  ["process-identity"],
  "a command in another container on the data directory of a running service: it ends in a sentence, and the service goes on",
  async () => {
    const container = ["--pid", "--ipc", "--fork", "--mount-proc", "--kill-child"];
    const command = [BINARY, "bootstrap", "--user", "other@example.com", "--data-dir", first.dataDir];
    const { status, stderr } = spawnSync("unshare", [...container, ...command], { encoding: "utf8" });
    assert.match(stderr, /^error: PostgreSQL of .* runs in another container, .*: run this command there/);
    assert.equal(status, 1);
    await first.token();
  },
);

covers(
  ["database-walled-off"],
  "a service gets no answer of the database in the middle of a turn: it closes the sandbox; another continues after the grace; the first writes nothing more",
  async () => {
    const session = await makeSession(api);
    await runTurn(api, session.id, bash("echo lost > /data/file"));
    const mark = `${4_000_000 + (process.pid % 1_000_000)}`;
    const turn = steps({ tools: [bash(`echo begun; sleep ${mark}`)] }, { tools: [bash("ls /data")] });
    const sent = (await api.ok("POST", `/sessions/${session.id}/events`, { events: [turn] })).data[0];
    await waitUntil(
      () => runs(`sleep ${mark}`),
      () => "the command did not begin",
    );
    proxy.stall();
    const [host] = await hosts();
    await administerHost(first, "resume", host.id);
    await readyzSays(503, "database");
    await readEventsUntil(api, session.id, ({ type }) => type === "session.status_rescheduled");
    await readEventsUntil(api, session.id, ({ type }) => type === "session.container_reclaimed");
    assert.equal(runs(`sleep ${mark}`), false, "the sandbox is closed before another service goes on");
    const events = await waitForTurn(api, session.id, sent.id);
    const results = toolResults(events);
    assert.match(results[0] ?? "", /interrupted/);
    assert.equal(results.length, 2);

    const log = await logOf(session);
    proxy.pass();
    await readyzSays(200);
    await runTurn(api, session.id, bash("true"));
    assert.deepEqual((await logOf(session)).slice(0, log.length), log);
    const late = (await logOf(session)).slice(log.length).map(({ type }) => type);
    assert.equal(late.filter((type) => type === "session.status_running").length, 1, late.join(" "));
    assert.equal(late.filter((type) => type === "agent.tool_result").length, 1, late.join(" "));
  },
);

async function hosts(): Promise<AnyJson[]> {
  return (await listHosts(first)).toSorted(
    (a: AnyJson, b: AnyJson) => Number(b.draining) - Number(a.draining),
  );
}

async function logOf(session: AnyJson): Promise<AnyJson[]> {
  return (await api.ok("GET", `/sessions/${session.id}/events?limit=100`)).data;
}

/** Whether a process has exactly this command line. */
function runs(words: string): boolean {
  const lines = globSync("/proc/[0-9]*/cmdline").map((file) => readOrEmpty(file).replaceAll("\0", " "));
  return lines.some((line) => line.trim() === words);
}

/** Waits for this response of the second service's `/readyz`. */
async function readyzSays(status: number, reason?: string): Promise<void> {
  let last: unknown;
  await waitUntil(
    async () => {
      const response = await fetch(`${second.url}/readyz`);
      last = await response.json();
      return response.status === status && (reason === undefined || (last as AnyJson).reason === reason);
    },
    () => `readyz says ${JSON.stringify(last)}`,
  );
}
