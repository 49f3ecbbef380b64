import assert from "node:assert/strict";
import { test } from "node:test";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import fc from "fast-check";
import { claimant, HERE } from "../../test-support/worker.ts";
import { claimRuns } from "./claim-runs.ts";

/** Seconds. */
const GRACE = 120;
const PLACES = ["here", "a", "b", "c"];

/** Ages in seconds, near the limits and far from them. `null`: the host has no row. */
const age = fc.constantFrom(0, 10, GRACE / 2 - 5, GRACE / 2 + 5, GRACE - 5, GRACE + 5, 10_000);
const host = fc.option(fc.record({ seen: age, up: age, draining: fc.boolean() }));
const session = fc.record({
  home: fc.constantFrom(null, ...PLACES),
  deleted: fc.boolean(),
  /**
   * `due`: not held. `orphaned`: the lease has expired. `held`: the lease is valid. `quiet`: none of these.
   */
  state: fc.constantFrom("due", "orphaned", "held", "quiet"),
});
type HostState = { seen: number; up: number; draining: boolean } | null;
type SessionState = { home: string | null; deleted: boolean; state: string };
const QUIET: SessionState = { home: null, deleted: false, state: "quiet" };
const SESSIONS = 12;

test("claimRuns: whatever hosts were seen when and drained, no disk is taken from a place within the grace", async (t) => {
  const db = await testDatabase(t);
  const ids = await makeSessions(db, SESSIONS);
  const cases = fc.tuple(
    fc.array(host, { minLength: 4, maxLength: 4 }),
    fc.array(session, { minLength: SESSIONS, maxLength: SESSIONS }),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ([hosts, sessions]) => {
      await reset(db, hosts);
      await arrange(db, ids, sessions);
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

/** A second implementation of the rule. */
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
  await db.write.query({ text: "delete from hosts" });
  const rows = hosts.flatMap((state, index) => (state === null ? [] : [{ ...state, id: PLACES[index] }]));
  await db.write.query({
    text: `insert into hosts (id, place, version, settings, capacity, name, role, draining, seen_at, up_since)
      select id, id, 'test', '{}', 1, id, 'all', draining, now() - seen * interval '1 second', now() - up * interval '1 second'
      from json_to_recordset($1) as host (id text, draining boolean, seen integer, up integer)`,
    values: [JSON.stringify(rows)],
  });
}

async function arrange(
  db: TestDatabase,
  ids: readonly string[],
  states: readonly SessionState[],
): Promise<void> {
  const rows = ids.map((id, index) => ({ id, ...(states[index] ?? QUIET) }));
  await db.write.query({
    text: `update sessions set home = to_be.home, deleted_at = case when deleted then now() end,
      pending_at = case when state = 'due' then now() end,
      lease_owner = case when state in ('orphaned', 'held') then 'other' end,
      lease_until = case state when 'orphaned' then now() - interval '1 s' when 'held' then now() + interval '1 h' end
      from json_to_recordset($1) as to_be (id uuid, home text, deleted boolean, state text)
      where sessions.id = to_be.id`,
    values: [JSON.stringify(rows)],
  });
}

async function makeSessions(db: TestDatabase, count: number): Promise<string[]> {
  const from = await seed(db.write);
  return await Promise.all(Array.from({ length: count }, () => seedSession(db.write, from)));
}

test("claimRuns: a host that was out of reach takes nothing over until it was there for the grace again", async (t) => {
  const db = await testDatabase(t);
  await reset(db, [{ seen: 10_000, up: 20_000, draining: false }]);
  await arrange(db, await makeSessions(db, 1), [{ home: "a", deleted: false, state: "due" }]);
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
