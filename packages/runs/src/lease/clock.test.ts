// Subject: only the database's clock counts. The clock of this process is set an hour ahead and behind.
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { Lease } from "@berth/store/leases";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { type Seed, seed, seedSession } from "@berth/store/test-support/runs";
import { claimReclaimable } from "./claim-reclaimable.ts";
import { claimRuns, releaseRun, renewLeases } from "./claim-runs.ts";

const HOUR_MS = 3_600_000;
const HOST = {
  id: "here",
  name: "here",
  place: "local:here",
  version: "1",
  role: "all",
  settings: {},
  graceMs: 120_000,
};
const CLOCKS: readonly [string, number][] = [
  ["an hour ahead", HOUR_MS],
  ["an hour behind", -HOUR_MS],
  ["right", 0],
];

for (const [clock, offset] of CLOCKS) {
  describe(`a process whose clock is ${clock}`, () => {
    test("claimRuns: a valid lease → not claimed; an expired one → claimed", async (t) => {
      const { db, sessionId } = await setUp(t, offset);
      const lease = only(await claim(db, "one", HOUR_MS / 2));
      assert.deepEqual(await claim(db, "two", HOUR_MS / 2), []);
      await expire(db, sessionId);
      const taken = only(await claim(db, "two", HOUR_MS / 2));
      assert.equal(taken.epoch, lease.epoch + 1);
    });

    test("renewLeases: a lease that was about to expire → claimed by nobody, for the whole period", async (t) => {
      const { db } = await setUp(t, offset);
      const lease = only(await claim(db, "one", 1));
      assert.deepEqual(await renewLeases(db.write, "one", HOUR_MS / 2, [lease]), new Set([lease.sessionId]));
      assert.deepEqual(await claim(db, "two", HOUR_MS), []);
      const [left = 0] = await secondsLeft(db);
      assert.ok(left > 1700 && left <= 1800, `${left} s are left`);
    });

    test("renewLeases: each lease gets the period from now, also a longer one than it has", async (t) => {
      const { db } = await setUp(t, offset);
      const lease = only(await claim(db, "one", HOUR_MS));
      await renewLeases(db.write, "one", HOUR_MS / 2, [lease]);
      const [left = 0] = await secondsLeft(db);
      assert.ok(left > 1700 && left <= 1800, `${left} s are left`);
    });

    test("claimReclaimable: idle for less than the time → not claimed; for longer → claimed", async (t) => {
      const { db, sessionId } = await setUp(t, offset);
      const lease = only(await claim(db, "one", HOUR_MS));
      await db.write.query({
        text: "update sessions set pending_at = null, home = 'local:here' where id = $1",
        values: [sessionId],
      });
      assert.equal(await releaseRun(db.write, lease), true);
      const reclaim = (idleMs: number) =>
        claimReclaimable({ db: db.write, owner: "two", leaseMs: HOUR_MS, idleMs, place: HOST.place }, 1);
      assert.deepEqual(await reclaim(HOUR_MS / 2), []);
      await db.write.query({ text: "update sessions set idle_since = idle_since - interval '40 minutes'" });
      assert.equal(only(await reclaim(HOUR_MS / 2)).sessionId, sessionId);
    });
  });
}

function claim(db: TestDatabase, owner: string, leaseMs: number): Promise<Lease[]> {
  return claimRuns(db.write, { owner, leaseMs, host: HOST, capacity: 1 }, 1);
}

/** Creates a due session, and sets the process clock `offset` from the database's. */
async function setUp(t: TestContext, offset: number): Promise<{ db: TestDatabase; sessionId: string }> {
  const db = await testDatabase(t);
  const from: Seed = await seed(db.write);
  const sessionId = await seedSession(db.write, from, { pending: true });
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() + offset });
  return { db, sessionId };
}

function only(leases: readonly Lease[]): Lease {
  const [lease] = leases;
  assert.ok(lease !== undefined && leases.length === 1, `${leases.length} leases`);
  return lease;
}

async function expire(db: TestDatabase, sessionId: string): Promise<void> {
  const text = "update sessions set lease_until = now() - interval '1 second' where id = $1";
  await db.write.query({ text, values: [sessionId] });
}

async function secondsLeft(db: TestDatabase): Promise<number[]> {
  const text = "select extract(epoch from lease_until - clock_timestamp())::float8 as left from sessions";
  const { rows } = await db.write.query<{ left: number }>({ text });
  return rows.map(({ left }) => left);
}
