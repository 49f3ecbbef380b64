import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type TestDatabase, testDatabase } from "../../../test-support/database.ts";
import { type Seed, seed, seedSession } from "../../../test-support/runs.ts";
import { claimant, HERE } from "../../../test-support/worker.ts";
import { claimRuns } from "./claim-runs.ts";

/** Seconds. */
const GRACE = 120;
const PLACES = ["here", "a", "b", "c"];

/** Ages in seconds, near what decides and far from it. `null`: the host has no row. */
const age = fc.constantFrom(0, 10, GRACE / 2 - 5, GRACE / 2 + 5, GRACE - 5, GRACE + 5, 10_000);
const host = fc.option(fc.record({ seen: age, up: age, draining: fc.boolean() }));
const session = fc.record({
  home: fc.constantFrom(null, ...PLACES),
  deleted: fc.boolean(),
  /** Due and held by nobody, held by a process whose lease is over, or held. */
  state: fc.constantFrom("due", "orphaned", "held", "quiet"),
});
type HostState = { seen: number; up: number; draining: boolean } | null;
type SessionState = { home: string | null; deleted: boolean; state: string };

test("claimRuns: whatever hosts were seen when and drained, no disk is taken from a place within the grace", async (t) => {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  const cases = fc.tuple(
    fc.array(host, { minLength: 4, maxLength: 4 }),
    fc.array(session, { maxLength: 12 }),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ([hosts, sessions]) => {
      await reset(db, hosts);
      const ids = [];
      for (const state of sessions) ids.push(await insert(db, from, state));
      const leases = await claimRuns(db.write, claimant("worker"), 100);
      const claimed = new Set(leases.map(({ sessionId }) => sessionId));
      for (const [index, state] of sessions.entries()) {
        const [own = null] = hosts;
        const expected = isClaimable(state, own, hosts[PLACES.indexOf(state.home ?? "")] ?? null);
        assert.equal(claimed.has(ids[index] ?? ""), expected, JSON.stringify({ state, hosts }));
      }
      const { rows } = await db.read.query({
        text: "select id from hosts where id = 'here' and seen_at > now() - interval '1 minute'",
      });
      assert.equal(rows.length, 1, "the host is seen");
    }),
    { numRuns: 150 },
  );
});

/** The rule in other words. */
function isClaimable({ home, deleted, state }: SessionState, own: HostState, there: HostState): boolean {
  if (state !== "due" && state !== "orphaned") return false;
  if (home === "here") return true;
  const drains = own?.draining ?? false;
  if (home === null) return deleted || !drains;
  const isThere = there !== null && there.seen < GRACE;
  const wasThere = own !== null && own.seen < GRACE / 2 && own.up > GRACE;
  return !deleted && !isThere && wasThere && !drains;
}

async function reset(db: TestDatabase, hosts: readonly HostState[]): Promise<void> {
  await db.write.query({ text: "delete from sessions" });
  await db.write.query({ text: "delete from hosts" });
  for (const [index, state] of hosts.entries()) {
    if (state === null) continue;
    const { seen, up, draining } = state;
    await db.write.query({
      text: `insert into hosts (id, place, version, settings, capacity, draining, seen_at, up_since)
        values ($1, $1, 'test', '{}', 1, $2, now() - $3 * interval '1 second', now() - $4 * interval '1 second')`,
      values: [PLACES[index], draining, seen, up],
    });
  }
}

async function insert(db: TestDatabase, from: Seed, { home, deleted, state }: SessionState): Promise<string> {
  const id = await seedSession(db.write, from, { pending: state === "due" });
  await db.write.query({
    text: `update sessions set home = $2, deleted_at = case when $3 then now() end,
      lease_owner = case when $4 in ('orphaned', 'held') then 'other' end,
      lease_until = case $4 when 'orphaned' then now() - interval '1 s' when 'held' then now() + interval '1 h' end
      where id = $1`,
    values: [id, home, deleted, state],
  });
  return id;
}

test("claimRuns: a host that was out of reach takes nothing over until it was there for the grace again", async (t) => {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  await reset(db, [{ seen: 10_000, up: 20_000, draining: false }]);
  await insert(db, from, { home: "a", deleted: false, state: "due" });
  const passes = async (seconds: number) =>
    await db.write.query({
      text: `update hosts set seen_at = seen_at - $1 * interval '1 second',
        up_since = up_since - $1 * interval '1 second'`,
      values: [seconds],
    });
  const claim = async () => (await claimRuns(db.write, claimant("worker"), 8)).length;
  assert.equal(await claim(), 0, "it was not there itself");
  await passes(50);
  assert.equal(await claim(), 0);
  await passes(50);
  assert.equal(await claim(), 0);
  await passes(50);
  assert.equal(await claim(), 1, "for 150 seconds it was there, and the home was not");
});

test("claimRuns: what a restarted host says of itself is kept, and draining stays", async (t) => {
  const db = await testDatabase(t);
  await claimRuns(db.write, claimant("worker"), 0);
  await db.write.query({ text: "update hosts set draining = true, seen_at = now() - interval '1 minute'" });
  const host = { ...HERE, version: "next", settings: { models: "2" } };
  await claimRuns(db.write, claimant("worker", { host, capacity: 7 }), 0);
  const { rows } = await db.read.query({ text: "select version, settings, capacity, draining from hosts" });
  assert.deepEqual(rows, [{ version: "next", settings: { models: "2" }, capacity: 7, draining: true }]);
});
