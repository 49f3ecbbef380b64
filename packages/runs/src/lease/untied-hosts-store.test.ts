import assert from "node:assert/strict";
import { test } from "node:test";
import { listHosts } from "@berth/api/administration";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import fc from "fast-check";
import { bash, claimant, HERE, idles, installation, steps } from "../../test-support/worker.ts";
import { claimRuns } from "./claim-runs.ts";
import { markSeen } from "./host-store.ts";
import { leaveHosts, removeGoneHosts } from "./untied-hosts-store.ts";

/** Seconds. */
const GRACE = 120;
const GONE = GRACE + 600;
const DAY = 86_400;
const PODS = "kubernetes:1/sandboxes";
const OTHER_PODS = "kubernetes:2/sandboxes";
const QUICK = { pollMs: 20, sandboxIdleMs: 0, leaseMs: 60_000 };

interface HostState {
  id: string;
  place: string;
  role: "all" | "api" | "runner";
  /** Seconds ago. */
  seen: number;
  draining: boolean;
}

const POD: HostState = { id: "pod", place: PODS, role: "runner", seen: 0, draining: false };

async function arrange(db: TestDatabase, hosts: readonly HostState[]): Promise<void> {
  await db.write.query({ text: "delete from hosts" });
  await db.write.query({
    text: `insert into hosts (id, place, name, role, version, settings, capacity, draining, seen_at, up_since)
      select id, place, id, role, 'test', '{}', 1, draining, now() - seen * interval '1 second', now() - interval '10 days'
      from json_to_recordset($1) as host (id text, place text, role text, draining boolean, seen integer)`,
    values: [JSON.stringify(hosts)],
  });
}

async function idsOf(db: TestDatabase): Promise<string[]> {
  return (await listHosts(db.read, "")).flatMap(({ id, version }) => (version === null ? [] : [id]));
}

const removed = (db: TestDatabase) => removeGoneHosts(db.write, GRACE * 1_000);

test("removeGoneHosts: rows of dead pods go; of pods that are there, and of machines with disks, they stay", async (t) => {
  const db = await testDatabase(t);
  const session = await seedSession(db.write, await seed(db.write));
  await db.write.query({
    text: "update sessions set home = 'local:api-with-disks' where id = $1",
    values: [session],
  });
  await arrange(db, [
    POD,
    { ...POD, id: "killed", seen: GONE + 10 },
    { ...POD, id: "drained-and-killed", seen: DAY + GONE, draining: true },
    { ...POD, id: "drained", seen: GONE + 10, draining: true },
    { ...POD, id: "restarting", seen: 310 },
    { ...POD, id: "last-elsewhere", place: OTHER_PODS, seen: GONE + 10 },
    { ...POD, id: "api", place: "local:api", role: "api" },
    { ...POD, id: "api-killed", place: "local:api-killed", role: "api", seen: GONE + 10 },
    { ...POD, id: "api-with-disks", place: "local:api-with-disks", role: "api", seen: GONE + 10 },
    { ...POD, id: "machine", place: "local:machine", role: "runner", seen: 30 * DAY },
    { ...POD, id: "older-machine", place: "local:older-machine", role: "all", seen: 30 * DAY },
  ]);
  await removed(db);
  assert.deepEqual(await idsOf(db), [
    "api",
    "api-with-disks",
    "drained",
    "last-elsewhere",
    "machine",
    "older-machine",
    "pod",
    "restarting",
  ]);
});

const PLACES = [PODS, OTHER_PODS, "local:a", "local:b"];
const host = fc.record({
  place: fc.constantFrom(...PLACES),
  role: fc.constantFrom("all", "api", "runner"),
  seen: fc.constantFrom(0, GRACE - 5, GRACE + 5, GONE - 5, GONE + 5, DAY + GRACE - 5, DAY + GRACE + 5),
  draining: fc.boolean(),
});
const home = fc.constantFrom(null, ...PLACES);
const SESSIONS = 6;

test("removeGoneHosts: of each place with disks a host stays, no host that is there goes, and what others claim is the same", async (t) => {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  const ids = await Promise.all(Array.from({ length: SESSIONS }, () => seedSession(db.write, from)));
  const claims = async (place: string) =>
    (await claimRuns(db.write, claimant("worker", { host: { ...HERE, id: "claims", place } }), 100)).map(
      ({ sessionId }) => sessionId,
    );
  const cases = fc.tuple(
    fc.array(host, { maxLength: 8 }),
    fc.array(home, { minLength: SESSIONS, maxLength: SESSIONS }),
    fc.constantFrom(...PLACES),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ([states, homes, place]) => {
      const own: HostState = { id: "claims", place, role: "all", seen: 0, draining: false };
      const hosts = [...states.map((state, at) => ({ ...state, id: `${at}` })), own];
      const due = async () => {
        await arrange(db, hosts);
        await db.write.query({
          text: `update sessions set pending_at = now(), lease_owner = null, lease_until = null, home = due.home
            from unnest($1::uuid[], $2::text[]) as due (id, home) where sessions.id = due.id`,
          values: [ids, homes],
        });
      };
      await due();
      const before = new Set(await claims(place));
      await due();
      await removed(db);
      const left = await idsOf(db);
      for (const { id, seen } of hosts) if (seen < GRACE) assert.ok(left.includes(id), "it is there");
      for (const { place: one } of hosts)
        if (homes.includes(one))
          assert.ok(
            hosts.some(({ id, place: its }) => its === one && left.includes(id)),
            `${one} has no host left`,
          );
      assert.deepEqual(new Set(await claims(place)), before);
    }),
    { numRuns: 100 },
  );
});

test("a runner that comes back from a pause after its row was removed is listed again, takes nothing over at once, and runs sessions of its place", async (t) => {
  const db = await testDatabase(t);
  const all = await installation(t, db);
  const from = await seed(db.write);
  const session = await seedSession(db.write, from);
  const host = { ...HERE, id: "paused", place: PODS, role: "runner" };
  await all.worker({ ...QUICK, host, disks: { directory: all.disks, home: PODS } });
  await all.send(session, steps(bash("echo one")));
  await all.until(session, (log) => idles(log) === 1);
  await markSeen(db.write, { ...HERE, id: "other", place: PODS, role: "runner" });
  const ofMachine = await seedSession(db.write, from);
  const text = "update sessions set home = 'local:machine', pending_at = now() where id = $1";
  await db.write.query({ text, values: [ofMachine] });
  await db.transaction(async (tx) => {
    const longAgo =
      "update hosts set seen_at = now() - interval '1 day', up_since = '2000-01-01' where id = 'paused'";
    await tx.query({ text: longAgo });
    await removeGoneHosts(tx, GRACE * 1_000);
    assert.deepEqual(
      (await listHosts(tx, "")).map(({ id }) => id),
      ["machine", "other"],
    );
  });
  await all.send(session, steps(bash("echo two")));
  await all.until(session, (log) => idles(log) === 2);
  assert.deepEqual(await idsOf(db), ["other", "paused"]);
  const { rows } = await db.read.query({
    text: `select up_since > now() - interval '1 hour' as anew, lease_owner, lease_epoch
      from hosts, sessions where hosts.id = 'paused' and sessions.id = $1`,
    values: [ofMachine],
  });
  assert.deepEqual(rows, [{ anew: true, lease_owner: null, lease_epoch: 0 }]);
});

test("leaveHosts: a pod that stops is gone at once; of two that stop together one stays, and one that is drained or has disks", async (t) => {
  const db = await testDatabase(t);
  const leave = (id: string, place: string, role = "runner") =>
    leaveHosts(db, { ...HERE, id, place, role, graceMs: GRACE * 1_000 });
  await arrange(db, [
    { ...POD, id: "one" },
    { ...POD, id: "two" },
    { ...POD, id: "drained", draining: true },
    { ...POD, id: "dead", seen: GONE },
    { ...POD, id: "api", place: "local:api", role: "api" },
    { ...POD, id: "machine", place: "local:machine" },
  ]);
  await leave("drained", PODS);
  await leave("machine", "local:machine");
  await leave("api", "local:api", "api");
  assert.deepEqual(await idsOf(db), ["dead", "drained", "machine", "one", "two"]);
  await db.write.query({ text: "delete from hosts where id = 'drained'" });
  await Promise.all([leave("one", PODS), leave("two", PODS)]);
  assert.equal((await idsOf(db)).filter((id) => id === "one" || id === "two").length, 1);
});

test("a place with disks of which no host was ever listed has its own name", async (t) => {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  for (const place of [PODS, "local:abc"]) {
    const session = await seedSession(db.write, from);
    await db.write.query({ text: "update sessions set home = $2 where id = $1", values: [session, place] });
  }
  const hosts = await listHosts(db.read, "");
  assert.deepEqual(
    hosts.map(({ id, version, sessions }) => [id, version, sessions]),
    [
      ["abc", null, 1],
      [PODS, null, 1],
    ],
  );
});
