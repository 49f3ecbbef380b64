// Subject: which sessions are set aside after a second crash of the process that ran them, and which are not.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lease } from "@berth/store/leases";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { readLog } from "@berth/store/test-support/internals/session-log";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { types } from "../../test-support/worker.ts";
import { appendIdle, appendRunning } from "./append-events.ts";
import { beginTrial, recordCrash } from "./crashed-store.ts";

const OWNER = "owner";
const IDLE = { event: { type: "session.status_idle" as const, stop_reason: { type: "end_turn" as const } } };

async function open(t: Parameters<typeof testDatabase>[0]) {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  /** Creates a session of which the worker runs a turn. */
  const running = async () => {
    const lease = await seedLease(db.write, await seedSession(db.write, from), OWNER);
    await appendRunning(db.write, lease);
    return lease;
  };
  return { db, running, idle: async () => seedLease(db.write, await seedSession(db.write, from), OWNER) };
}

async function again(db: TestDatabase, { sessionId }: Lease, isTried = true): Promise<Lease> {
  const lease = await seedLease(db.write, sessionId, OWNER);
  if (isTried) await beginTrial(db.write, lease);
  return lease;
}

async function stateOf(db: TestDatabase, { sessionId }: Lease) {
  const { rows } = await db.write.query<{ crashes: number; aside: boolean; due: boolean; held: boolean }>({
    text: `select runner_crashes as crashes, set_aside_at is not null as aside, pending_at is not null as due,
      lease_owner is not null as held from sessions where id = $1`,
    values: [sessionId],
  });
  return { ...rows[0] };
}

test("a first crash: sessions whose turns it ran are due, and counted; others stay as they are", async (t) => {
  const { db, running, idle } = await open(t);
  const [one, two, rests] = [await running(), await running(), await idle()];
  assert.deepEqual(await recordCrash(db, OWNER), []);
  for (const lease of [one, two])
    assert.deepEqual(await stateOf(db, lease), { crashes: 1, aside: false, due: true, held: false });
  assert.deepEqual(await stateOf(db, rests), { crashes: 0, aside: false, due: false, held: true });
  assert.deepEqual(await recordCrash(db, OWNER), [], "it is counted once");
  assert.equal((await stateOf(db, one)).crashes, 1);
});

test("a second crash: the session on trial is set aside and told; its neighbours, waiting or new, are not", async (t) => {
  const { db, running } = await open(t);
  const [guilty, waits] = [await running(), await running()];
  await recordCrash(db, OWNER);
  await again(db, guilty);
  await again(db, waits, false);
  const fresh = await running();
  const found = await recordCrash(db, OWNER);
  assert.deepEqual(
    found.map(({ sessionId }) => sessionId),
    [guilty.sessionId],
  );
  assert.deepEqual(await stateOf(db, guilty), { crashes: 2, aside: true, due: false, held: false });
  assert.deepEqual(types(await readLog(db.read, guilty.sessionId)).slice(-2), [
    "session.error",
    "session.status_idle",
  ]);
  assert.deepEqual(await stateOf(db, waits), { crashes: 1, aside: false, due: true, held: true });
  assert.deepEqual(await stateOf(db, fresh), { crashes: 1, aside: false, due: true, held: false });
});

test("two on trial: neither is set aside, and the one that does it alone is", async (t) => {
  const { db, running } = await open(t);
  const [one, two] = [await running(), await running()];
  await recordCrash(db, OWNER);
  for (const lease of [one, two]) await again(db, lease);
  assert.deepEqual(await recordCrash(db, OWNER), []);
  assert.equal((await stateOf(db, one)).crashes, 2);
  await again(db, two);
  assert.equal((await recordCrash(db, OWNER)).length, 1);
  assert.deepEqual((await stateOf(db, one)).aside, false);
});

test("a turn that ends: the crashes before it count no more", async (t) => {
  const { db, running } = await open(t);
  const lease = await running();
  await recordCrash(db, OWNER);
  const next = await again(db, lease);
  await appendIdle(db.write, next, [IDLE]);
  await appendRunning(db.write, next);
  assert.deepEqual(await recordCrash(db, OWNER), []);
  assert.equal((await stateOf(db, lease)).crashes, 1);
});
