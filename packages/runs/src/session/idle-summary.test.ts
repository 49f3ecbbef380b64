// Subject: sessions that wait for their user are summarised before the provider's cache expires.
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { describe, type TestContext, test } from "node:test";
import type { LogEntry, Model, ModelRequest } from "@berth/agent";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { claimant, idles, installation, types } from "../../test-support/worker.ts";
import { appendSummaryStart } from "../lease/append-events.ts";
import { claimSummaries, dropSummary } from "../lease/claim-summaries.ts";

const MINUTES = 5 * 60_000;

/**
 * A model with this lifetime of its cache. Its responses are numbered; summaries hang while `hangs` is set.
 */
function cachingModel(cacheLifetimeMs: number | null, tokens = 90_000, forHour = 0) {
  const requests: ModelRequest[] = [];
  const events = new EventEmitter();
  const own = {
    requests,
    events,
    hangs: false as boolean,
    id: "caching/model",
    contextWindow: 200_000,
    maxOutputTokens: 8_000,
    cacheLifetimeMs,
    async *stream(request, signal) {
      requests.push(request);
      const isSummary = isSummaryRequest(request);
      if (isSummary) events.emit("summary");
      if (isSummary && own.hangs)
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      const text = isSummary ? "what was done" : `answer ${requests.length}`;
      yield { type: "block", block: { type: "text", text }, blockIndex: 0 };
      const usage = {
        input_tokens: 10,
        output_tokens: 20,
        cache_read_input_tokens: tokens,
        cache_creation_input_tokens: 900,
        ...(forHour > 0 ? { cache_creation_1h_input_tokens: forHour } : {}),
      };
      yield { type: "finish", reason: "end_turn", usage };
    },
  } satisfies Model & { requests: ModelRequest[]; events: EventEmitter; hangs: boolean };
  return own;
}

function isSummaryRequest({ messages }: ModelRequest): boolean {
  return JSON.stringify(messages.at(-1)).includes("## Task");
}

const compacted = (log: readonly LogEntry[]) => types(log).includes("agent.context_compacted");
/** Whether each request has ended. */
const isQuiet = (log: readonly LogEntry[]) =>
  types(log).filter((type) => type === "span.model_request_end").length === requests(log);
const requests = (log: readonly LogEntry[]) =>
  types(log).filter((type) => type === "span.model_request_start").length;

/** Releases sessions and polls for work at once. */
const EAGER = { sandboxIdleMs: 1, pollMs: 50 };

/** Runs a turn, and lets the pause after it last until the summary is due. */
async function firstTurn({ db, own, sessionId }: Awaited<ReturnType<typeof trial>>): Promise<void> {
  await own.send(sessionId, "the first task");
  await own.until(sessionId, (log) => idles(log) === 1);
  await released(db, sessionId);
  await makeDue(db, sessionId);
}

async function trial(t: TestContext) {
  const db = await testDatabase(t);
  const own = await installation(t, db);
  const sessionId = await seedSession(db.write, await seed(db.write));
  return { db, own, sessionId };
}

async function dueAt(db: TestDatabase, sessionId: string): Promise<Date | null> {
  const { rows } = await db.read.query<{ summary_due_at: Date | null }>({
    text: "select summary_due_at from sessions where id = $1",
    values: [sessionId],
  });
  return rows[0]?.summary_due_at ?? null;
}

async function makeDue(db: TestDatabase, sessionId: string): Promise<void> {
  await db.write.query({
    text: "update sessions set summary_due_at = now() where id = $1",
    values: [sessionId],
  });
}

async function released(db: TestDatabase, sessionId: string): Promise<void> {
  for (;;) {
    const { rows } = await db.read.query({
      text: "select from sessions where id = $1 and lease_owner is null and pending_at is null",
      values: [sessionId],
    });
    if (rows.length > 0) return;
    await new Promise(setImmediate);
  }
}

describe("a session that waits for its user", () => {
  test("the time has come → summarised once, before the cache ends, and goes on from the summary", async (t) => {
    const { db, own, sessionId } = await trial(t);
    const model = cachingModel(MINUTES);
    await own.worker({ model: () => model, ...EAGER });
    await firstTurn({ db, own, sessionId });
    const log = await own.until(sessionId, compacted);
    assert.deepEqual(types(log).slice(-4), [
      "session.status_idle",
      "span.model_request_start",
      "span.model_request_end",
      "agent.context_compacted",
    ]);
    assert.equal(await dueAt(db, sessionId), null);
    const [turn, summary] = model.requests;
    assert.ok(turn !== undefined && summary !== undefined);
    assert.deepEqual([summary.system, summary.tools], [turn.system, turn.tools]);
    assert.deepEqual(summary.messages.slice(0, turn.messages.length), turn.messages);
    const { rows } = await db.read.query({
      text: "select status, cache_read_input_tokens as read from sessions where id = $1",
      values: [sessionId],
    });
    assert.deepEqual(rows, [{ status: "idle", read: 180_000 }]);
    await own.send(sessionId, "the second task");
    await own.until(sessionId, (now) => idles(now) === 2);
    const sent = JSON.stringify(model.requests[2]?.messages);
    const order = ["what was done", "the first task", "answer 1", "the second task"].map((text) =>
      sent.indexOf(text),
    );
    assert.ok(order[0] !== undefined && order[0] >= 0);
    assert.deepEqual(
      order,
      order.toSorted((one, other) => one - other),
    );
    assert.equal(model.requests.length, 3);
  });

  test("it was released, and two workers look → one of them summarises it, once", async (t) => {
    const { db, own, sessionId } = await trial(t);
    const model = cachingModel(MINUTES);
    const options = { model: () => model, ...EAGER };
    const first = await own.worker(options);
    await own.send(sessionId, "the first task");
    await own.until(sessionId, (log) => idles(log) === 1);
    await released(db, sessionId);
    const due = await dueAt(db, sessionId);
    const left = (due?.getTime() ?? 0) - Date.now();
    assert.ok(left > MINUTES * 0.4 && left <= MINUTES * 0.8, `due in ${left} ms`);
    await first.close();
    await Promise.all([own.worker(options), own.worker(options)]);
    await makeDue(db, sessionId);
    assert.equal(requests(await own.until(sessionId, compacted)), 2);
    await released(db, sessionId);
    assert.equal(await dueAt(db, sessionId), null);
    assert.deepEqual(await claimSummaries(db.write, claimant("another"), 8), []);
  });

  test("its provider keeps it for an hour → due after four fifths of that", async (t) => {
    const { db, own, sessionId } = await trial(t);
    await own.worker({ model: () => cachingModel(MINUTES, 90_000, 900), ...EAGER });
    await own.send(sessionId, "the first task");
    await own.until(sessionId, (log) => idles(log) === 1);
    await released(db, sessionId);
    const left = ((await dueAt(db, sessionId))?.getTime() ?? 0) - Date.now();
    assert.ok(left > 12 * MINUTES * 0.7 && left <= 12 * MINUTES * 0.8, `due in ${left} ms`);
  });

  test("the user answers meanwhile → the summary stops, and the turn has the whole history", async (t) => {
    const { db, own, sessionId } = await trial(t);
    const model = cachingModel(MINUTES);
    model.hangs = true;
    const begun = once(model.events, "summary");
    await own.worker({ model: () => model, ...EAGER });
    await firstTurn({ db, own, sessionId });
    await begun;
    await own.send(sessionId, "the second task");
    const log = await own.until(sessionId, (now) => idles(now) === 2);
    assert.ok(!compacted(log));
    const ends = log.map(({ event }) => event).filter((event) => event.type === "span.model_request_end");
    assert.deepEqual(
      ends.map(({ is_error }) => is_error),
      [false, true, false],
    );
    assert.match(JSON.stringify(model.requests[2]?.messages), /the first task.*answer 1.*the second task/);
    assert.ok((await dueAt(db, sessionId)) !== null, "the next pause has its own");
  });

  test("its process stops in the middle of the summary → it is not begun again, and the next message is answered", async (t) => {
    const { db, own, sessionId } = await trial(t);
    const model = cachingModel(MINUTES);
    model.hangs = true;
    const begun = once(model.events, "summary");
    const first = await own.worker({ model: () => model, ...EAGER });
    await firstTurn({ db, own, sessionId });
    await begun;
    await first.close();
    assert.equal(await dueAt(db, sessionId), null);
    await own.worker({ model: () => cachingModel(null) });
    await own.send(sessionId, "the second task");
    const log = await own.until(sessionId, (now) => idles(now) === 2);
    assert.equal(requests(log), 3);
    assert.ok(!compacted(log));
  });

  for (const [point, appended] of [
    ["before its request", []],
    ["while the model answered", [{ event: { type: "span.model_request_start", model: "caching/model" } }]],
  ] as const)
    test(`its process died ${point} → another ends what is open, and begins none if one was begun`, async (t) => {
      const { db, own, sessionId } = await trial(t);
      const model = cachingModel(MINUTES);
      const first = await own.worker({ model: () => model, ...EAGER });
      await own.send(sessionId, "the first task");
      await own.until(sessionId, (log) => idles(log) === 1);
      await released(db, sessionId);
      await first.close();
      await makeDue(db, sessionId);
      const [lease] = await claimSummaries(db.write, claimant("of a dead process"), 8);
      assert.ok(lease !== undefined);
      if (appended.length > 0) assert.ok((await appendSummaryStart(db.write, lease, appended)) !== null);
      assert.deepEqual(await claimSummaries(db.write, claimant("another"), 8), []);
      await db.write.query({
        text: "update sessions set lease_owner = null, lease_until = null where id = $1",
        values: [sessionId],
      });
      await own.worker({ model: () => model, ...EAGER });
      const log = await own.until(
        sessionId,
        (now) => types(now).at(-1) !== "session.status_idle" && isQuiet(now),
      );
      await released(db, sessionId);
      assert.equal(await dueAt(db, sessionId), null);
      const end = log.map(({ event }) => event).findLast((event) => event.type === "span.model_request_end");
      assert.deepEqual(
        [requests(log), compacted(log), end?.is_error],
        appended.length > 0 ? [2, false, true] : [2, true, false],
      );
      await own.send(sessionId, "the second task");
      assert.equal(requests(await own.until(sessionId, (now) => idles(now) === 2)), 3);
    });

  test("no cache, a small history, an agent that does without, a model that is free → none is due", async (t) => {
    for (const [model, chosen] of [
      [cachingModel(null), {}],
      [cachingModel(MINUTES, 20_000), {}],
      [cachingModel(MINUTES), { compact_when_idle: false }],
      [{ ...cachingModel(MINUTES), prices: null }, {}],
    ] as const) {
      const { db, own, sessionId } = await trial(t);
      await db.write.query({
        text: "update sessions set agent = jsonb_set(agent::jsonb, '{model}', (agent::jsonb -> 'model') || $2::jsonb) where id = $1",
        values: [sessionId, chosen],
      });
      await own.worker({ model: () => model });
      await own.send(sessionId, "the first task");
      await own.until(sessionId, (log) => idles(log) === 1);
      assert.equal(await dueAt(db, sessionId), null);
    }
  });
});

test("claimSummaries: what waits, runs, is archived, set aside, elsewhere or long due is not claimed", async (t) => {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  for (const change of [
    "pending_at = now()",
    "status = 'running'",
    "archived_at = now()",
    "terminated_at = now()",
    "set_aside_at = now()",
    "home = 'elsewhere'",
    "summary_due_at = now() - interval '20 minutes'",
    "summary_due_at = now() + interval '1 minute'",
    "summary_due_at = null",
  ]) {
    const id = await seedSession(db.write, from);
    await makeDue(db, id);
    await db.write.query({ text: `update sessions set ${change} where id = $1`, values: [id] });
  }
  assert.deepEqual(await claimSummaries(db.write, claimant("a"), 8), []);
  const due = await seedSession(db.write, from);
  await makeDue(db, due);
  const [lease] = await claimSummaries(db.write, claimant("a"), 8);
  assert.ok(lease?.sessionId === due);
  assert.deepEqual(await claimSummaries(db.write, claimant("b"), 8), []);
  await dropSummary(db.write, lease);
  assert.equal(await dueAt(db, due), null);
});
