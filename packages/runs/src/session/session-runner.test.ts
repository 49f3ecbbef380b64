import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Model } from "@berth/agent";
import { createRehearsalModel } from "@berth/agent/models";
import { archiveLocked, markDeleted } from "@berth/api/test-support/internals/features";
import { formatId } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { appendInputs, appendTerminated } from "@berth/store/session-log";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { readLog } from "@berth/store/test-support/internals/session-log";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { Registry } from "prom-client";
import { bash, claimant, HERE, idles, installation, steps, types } from "../../test-support/worker.ts";
import { claimRuns } from "../lease/claim-runs.ts";
import { SessionMetrics } from "./session-metrics.ts";

async function sessionOf(db: TestDatabase): Promise<string> {
  return await seedSession(db.write, await seed(db.write));
}

const ELSEWHERE = { ...HERE, id: "elsewhere", place: "elsewhere" };

async function rowOf(db: TestDatabase, sessionId: string) {
  const { rows } = await db.read.query<{
    status: string;
    lease_owner: string | null;
    home: string | null;
  }>({
    text: "select status, lease_owner, home from sessions where id = $1",
    values: [sessionId],
  });
  return rows[0];
}

function saying(say: string): string {
  return steps({ say });
}

/**
 * Returns the same database, and the names of its statements, except those of the hub and the heartbeat.
 *
 * @param onAnswered called with each name once the database has responded.
 */
function recorded(
  db: TestDatabase,
  onAnswered: (name: string | undefined) => void = () => {},
): { recording: TestDatabase; names: (string | undefined)[] } {
  const names: (string | undefined)[] = [];
  const recording = (queryable: Queryable): Queryable => ({
    query: async (statement) => {
      names.push(statement.name);
      const answer = await queryable.query<never>(statement);
      onAnswered(statement.name);
      return answer;
    },
  });
  return { recording: { ...db, write: recording(db.write), read: recording(db.read) }, names };
}

/** Limits tests in which a failure means that an event never comes. */
const LIMITED = { timeout: 60_000 };
/** Milliseconds. Only notifications wake a worker that polls so rarely. */
const NEVER_MS = 3_600_000;

describe("SessionRunner", () => {
  test("a message → one turn: running, requests, calls with results, idle", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await sessionOf(db);
    await own.worker();
    await own.send(sessionId, steps(bash("echo one"), { say: "Done." }));
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    assert.deepEqual(types(log), [
      "user.message",
      "session.status_running",
      "span.model_request_start",
      "agent.tool_use",
      "span.model_request_end",
      "session.container_started",
      "agent.tool_result",
      "span.model_request_start",
      "agent.message",
      "span.model_request_end",
      "session.status_idle",
    ]);
    assert.equal(log[0]?.event.processed_at === null, false);
    assert.equal((await rowOf(db, sessionId))?.status, "idle");
  });

  test("a first turn: session and resources are read once, and what a command may need rotated once more for it; secrets also before anything runs, to be masked", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await sessionOf(db);
    const { recording, names } = recorded(db);
    const content = [{ type: "text" as const, text: steps(bash("echo one")) }];
    await appendInputs(db.write, sessionId, [{ type: "user.message", content }]);
    const began = once(own.engine.events, "command");
    await own.worker({ db: recording });
    await began;
    const count = (name: string) => names.filter((one) => one === name).length;
    assert.deepEqual([count("run_inputs"), count("run_resources")], [1, 0]);
    assert.equal(count("credential_sources"), 3);
  });

  test("a later turn of a held session, without tools → each statement once, none asks what the run knows, and no look follows", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await sessionOf(db);
    const { recording, names } = recorded(db);
    await own.worker({ db: recording, pollMs: 60_000, leaseMs: 180_000 });
    const messages = [steps(bash("echo one"), { say: "One." }), ...["Two.", "Three.", "Four."].map(saying)];
    for (const [turns, message] of messages.entries()) {
      await own.send(sessionId, message);
      await own.until(sessionId, (entries) => idles(entries) === turns + 1);
    }
    const ends = names.flatMap((name, index) => (name === "append_idle" ? [index] : []));
    const later = ends.slice(2).map((end, index) => names.slice((ends[index + 1] ?? 0) + 1, end + 1));
    // If a round of claims also finds the message, the run takes one more step. At least one turn had none.
    const [fewest = []] = later.sort((one, other) => one.length - other.length);
    // Sorted, since some are sent concurrently.
    assert.deepEqual(fewest.sort(), [
      "append_by_run",
      "append_idle",
      "append_taking_inputs",
      "begin_turn",
      "credential_sources",
      "read_collected",
      "run_inputs",
    ]);
  });

  test("turns wait for slots as often as there are turns, also where a look began none", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await sessionOf(db);
    const registry = new Registry();
    await own.worker({ metrics: new SessionMetrics(registry) });
    for (const [turns, message] of [steps(bash("echo one")), saying("Two.")].entries()) {
      await own.send(sessionId, message);
      await own.until(sessionId, (entries) => idles(entries) === turns + 1);
    }
    await own.interrupt(sessionId);
    await own.send(sessionId, saying("Three."));
    await own.until(sessionId, (entries) => idles(entries) === 3);
    assert.match(await registry.metrics(), /^berth_turn_wait_seconds_count 3$/m);
  });

  test("a second message → another turn in the same sandbox", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await sessionOf(db);
    await own.worker();
    await own.send(sessionId, steps(bash("echo one")));
    await own.until(sessionId, (entries) => idles(entries) === 1);
    await own.send(sessionId, steps(bash("echo two")));
    await own.until(sessionId, (entries) => idles(entries) === 2);
    assert.equal(own.engine.specs.length, 1);
    assert.deepEqual(
      own.engine.commands.map(({ script }) => script),
      ["echo one", "echo two"],
    );
  });

  test("the environment's networking changes → the open sandbox follows it with the next turn", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await sessionOf(db);
    await own.worker();
    await own.send(sessionId, steps(bash("one")));
    await own.until(sessionId, (entries) => idles(entries) === 1);
    const networking = { type: "limited", allowed_hosts: ["new.example"] };
    await db.write.query({
      text: "update environments set config = $1",
      values: [{ type: "cloud", networking }],
    });
    assert.deepEqual(own.engine.policies, []);
    await own.send(sessionId, steps(bash("two")));
    await own.until(sessionId, (entries) => idles(entries) === 2);
    assert.equal(own.engine.specs.length, 1, "the sandbox is the same");
    assert.deepEqual(own.engine.policies, [{ mode: "limited", hosts: ["new.example"] }]);
  });

  test("interrupt: a command runs → the turn is cancelled at once", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await sessionOf(db);
    await own.worker({ pollMs: NEVER_MS });
    const began = once(own.engine.events, "command");
    await own.send(sessionId, steps(bash("hang"), { say: "Never." }));
    await began;
    await own.interrupt(sessionId);
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    const end = log.at(-1)?.event;
    assert.ok(end?.type === "session.status_idle" && end.stop_reason.type === "cancelled");
    const unprocessed = log.filter((entry) => entry.event.processed_at === null);
    assert.deepEqual(types(unprocessed), []);
    assert.ok(types(log).includes("agent.tool_result"));
  });

  test("interrupt: the model is silent → the turn is cancelled at once", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await sessionOf(db);
    const model: Model = { ...createRehearsalModel(), stream: silent };
    await own.worker({ model: () => model, pollMs: NEVER_MS });
    await own.send(sessionId, "Think for ever.");
    await own.until(sessionId, (entries) => types(entries).includes("span.model_request_start"));
    await own.interrupt(sessionId);
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    const end = log.at(-1)?.event;
    assert.ok(end?.type === "session.status_idle" && end.stop_reason.type === "cancelled");
  });

  test("interrupt: the session is idle → only the interrupt is marked as processed", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await sessionOf(db);
    await own.worker();
    await own.interrupt(sessionId);
    const log = await own.until(sessionId, (entries) => entries[0]?.event.processed_at !== null);
    assert.deepEqual(types(log), ["user.interrupt"]);
  });

  test("interrupt: sent with a message before it → a cancelled turn without a request", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await sessionOf(db);
    await own.send(sessionId, steps(bash("echo never")));
    await own.interrupt(sessionId);
    await own.worker();
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    assert.deepEqual(types(log).slice(2), ["session.status_running", "session.status_idle"]);
    assert.deepEqual(own.engine.commands, []);
  });

  test("nothing happens for a while → the sandbox is closed, the disk stays, the session is released", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await sessionOf(db);
    await own.worker({ sandboxIdleMs: 50 });
    const closed = once(own.engine.events, "closed");
    await own.send(sessionId, steps(bash("echo one")));
    await closed;
    await own.send(sessionId, steps(bash("echo two")));
    await own.until(sessionId, (entries) => idles(entries) === 2);
    assert.equal(own.engine.specs.length, 2);
    assert.equal(own.engine.specs[0]?.uid, own.engine.specs[1]?.uid);
    assert.deepEqual(own.engine.overlaps, []);
  });

  test("terminated: the turn stops, the disk is removed and the session released", LIMITED, async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await sessionOf(db);
    const released = Promise.withResolvers<void>();
    const { recording } = recorded(db, (name) => {
      if (name === "release_run") released.resolve();
    });
    await own.worker({ db: recording, leaseMs: 180_000 });
    const began = once(own.engine.events, "command");
    await own.send(sessionId, steps(bash("hang"), { say: "Never." }));
    await began;
    const disk = join(own.disks, formatId("session", sessionId));
    assert.ok(existsSync(disk));
    await appendTerminated(db.write, sessionId);
    own.hub.publish(sessionId, true);
    await released.promise;
    const row = await rowOf(db, sessionId);
    assert.deepEqual(row, { status: "terminated", lease_owner: null, home: null });
    assert.equal(existsSync(disk), false);
    assert.equal(types(await readLog(db.read, sessionId)).at(-1), "session.status_terminated");
  });

  test("deleted: the disk is removed and then the row, on the machine that has the disk", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await sessionOf(db);
    const disk = join(own.disks, formatId("session", sessionId));
    const first = await own.worker({ sandboxIdleMs: 0, graceMs: 60_000 });
    await own.send(sessionId, steps(bash("echo one")));
    await own.until(sessionId, (entries) => idles(entries) === 1);
    await first.close();
    assert.ok(existsSync(disk));
    await markDeleted(db.write, [sessionId]);
    assert.deepEqual(await claimRuns(db.write, claimant("elsewhere", { host: ELSEWHERE }), 8), []);
    const signal = AbortSignal.timeout(60_000);
    await own.worker();
    while ((await rowOf(db, sessionId)) !== undefined) await nextTurn(undefined, { signal });
    assert.equal(existsSync(disk), false);
    assert.deepEqual((await db.read.query({ text: "select 1 from events" })).rows, []);
  });

  test("archived: the turn is cancelled, the session is idle and the disk is removed", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await sessionOf(db);
    const worker = await own.worker({ graceMs: 60_000 });
    const began = once(own.engine.events, "command");
    await own.send(sessionId, steps(bash("hang"), { say: "Never." }));
    await began;
    await db.write.query({ text: "update sessions set archived_at = now(), pending_at = now()" });
    own.hub.publish(sessionId, true);
    await own.until(sessionId, (entries) => idles(entries) === 1);
    await worker.close();
    assert.deepEqual(await rowOf(db, sessionId), { status: "idle", lease_owner: null, home: null });
    assert.equal(existsSync(join(own.disks, formatId("session", sessionId))), false);
  });

  test("archived before a message's turn began → that turn is cancelled, and nothing waits", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await sessionOf(db);
    await own.send(sessionId, "Too late.");
    await db.transaction(async (tx) => await archiveLocked(tx, { id: sessionId, status: "idle" }));
    await own.worker();
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    assert.deepEqual(types(log), [
      "user.message",
      "user.interrupt",
      "session.status_running",
      "session.status_idle",
    ]);
    assert.ok(log.every((entry) => entry.event.processed_at !== null));
  });

  test("the model throws → session.error without details, and the session is idle", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await sessionOf(db);
    await own.worker({
      model: () => {
        throw new Error("a secret detail");
      },
    });
    await own.send(sessionId, "Hello.");
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    assert.deepEqual(types(log).slice(1), ["session.status_running", "session.error", "session.status_idle"]);
    assert.ok(!JSON.stringify(log).includes("secret detail"));
    assert.ok(log.every((entry) => entry.event.processed_at !== null));
  });

  test("the model is not installed → model_not_found_error", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await sessionOf(db);
    await own.worker({ model: () => null });
    await own.send(sessionId, "Hello.");
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    const error = log.find((entry) => entry.event.type === "session.error")?.event;
    assert.ok(error?.type === "session.error" && error.error.type === "model_not_found_error");
  });
});

/** Yields nothing until it is aborted. */
async function* silent(_request: unknown, signal: AbortSignal): AsyncGenerator<never> {
  const aborted = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => aborted.reject(signal.reason), { once: true });
  await aborted.promise;
}
