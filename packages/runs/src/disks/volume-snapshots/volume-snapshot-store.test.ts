// Subject: which snapshots of volumes sessions find, which are taken, and which are deleted.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { newUuid } from "@berth/contract";
import type { Lease } from "@berth/store/leases";
import { testDatabase } from "@berth/store/test-support/database";
import { type Seed, seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { claimDisk } from "../../../test-support/disks.ts";
import { digestRepositories } from "../../repositories/list-repositories.ts";
import { SessionDisk } from "../session-disk.ts";
import {
  beginTaking,
  deleteExpired,
  finishTaking,
  knownVolumeSnapshots,
  listUsable,
  markUnusable,
  markUnverified,
  markVerified,
} from "./volume-snapshot-store.ts";

const PLACE = "kubernetes:a/b";
const SHOWN = { refsDigest: "shown", cloneSeconds: 2.5 };
const KEY = { place: PLACE, repositories: "some", bytes: 100 };

async function setUp(t: TestContext) {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  const session = async (of: Seed = from): Promise<Lease> =>
    await seedLease(db.write, await seedSession(db.write, of), "worker");
  const lease = await session();
  const begin = (key = KEY, { as = lease, replaces = false } = {}) =>
    beginTaking(db.write, as, key, replaces);
  const take = async (key = KEY, as = lease) => {
    const id = (await begin(key, { as, replaces: true })) ?? "";
    assert.ok(await finishTaking(db.write, as, { id, ...SHOWN }));
    return id;
  };
  const usable = async (key = KEY, as = lease) =>
    (await listUsable(db.write, as.sessionId, key)).map(({ id }) => id);
  /** Makes the time of a column earlier. */
  const age = (id: string, column: string, interval: string) =>
    db.write.query({
      text: `update volume_snapshots set ${column} = ${column} - $2::interval where id = $1`,
      values: [id, interval],
    });
  const left = async (days = 14, unready: string[] = []) => {
    const { rows } = await db.write.query<{ id: string }>({ text: "select id from volume_snapshots" });
    await deleteExpired(db.write, PLACE, days, unready);
    return [
      ...(await knownVolumeSnapshots(
        db.write,
        rows.map(({ id }) => id),
      )),
    ];
  };
  return { db, session, lease, begin, take, usable, age, left };
}

test("a snapshot is found by sessions of its organization with the same repositories, place and room, once it is taken", async (t) => {
  const { db, session, lease, begin, usable } = await setUp(t);
  const id = (await begin()) ?? "";
  assert.deepEqual(await usable(), [], "it is being taken");
  assert.ok(await finishTaking(db.write, lease, { id, ...SHOWN }));
  assert.equal(await finishTaking(db.write, lease, { id, ...SHOWN }), false, "once");
  assert.deepEqual(await listUsable(db.write, lease.sessionId, KEY), [{ id, ...SHOWN }]);
  assert.deepEqual(await usable(KEY, await session()), [id], "another session of the organization");
  for (const other of [
    { ...KEY, place: "elsewhere" },
    { ...KEY, repositories: "others" },
    { ...KEY, bytes: 99 },
  ])
    assert.deepEqual(await usable(other), [], JSON.stringify(other));
  assert.deepEqual(await usable(KEY, await session(await seed(db.write))), [], "another organization");
});

test("one is taken at a time, and the next after an hour, unless the last one is of no use or too large", async (t) => {
  const { begin, take, age } = await setUp(t);
  const taking = (await begin()) ?? "";
  assert.equal(await begin(), null, "another is being taken");
  assert.equal(await begin(KEY, { replaces: true }), null);
  await age(taking, "begun_at", "11 minutes");
  const again = await begin();
  assert.ok(again !== null && again !== taking, "the one that took it is dead");
  await age(again, "begun_at", "11 minutes");
  const taken = await take();
  assert.equal(await begin(), null, "it is fresh");
  assert.ok(await begin({ ...KEY, bytes: 50 }), "it does not fit a smaller disk");
  await age(taken, "taken_at", "61 minutes");
  assert.equal(await begin(), null, "that one is being taken");
});

test("one of which no disk could be made is not tried for ten minutes", async (t) => {
  const { db, take, usable, age } = await setUp(t);
  const id = await take();
  await markUnusable(db.write, id);
  assert.deepEqual(await usable(), []);
  await age(id, "failed_at", "11 minutes");
  assert.deepEqual(await usable(), [id]);
});

test("deleted: unused for too long, never taken, never ready, replaced for an hour, too many, and with the organization", async (t) => {
  const { db, begin, take, age, left, session } = await setUp(t);
  const [former, newer] = [await take(), await take()];
  assert.deepEqual((await left()).toSorted(), [former, newer].toSorted());
  await age(former, "taken_at", "2 hours");
  assert.deepEqual((await left()).toSorted(), [former, newer].toSorted(), "the newer one may not be ready");
  await age(newer, "taken_at", "61 minutes");
  assert.deepEqual(await left(), [newer]);
  assert.deepEqual(await left(14, [newer]), [], "it never became ready");

  const unused = await take();
  await age(unused, "used_at", "15 days");
  assert.deepEqual(await left(), []);
  const dead = (await begin()) ?? "";
  assert.deepEqual(await left(), [dead]);
  await age(dead, "begun_at", "11 minutes");
  assert.deepEqual(await left(), []);

  for (let count = 0; count < 34; count += 1) await take({ ...KEY, repositories: `set ${count}` });
  assert.equal((await left()).length, 32);
  const other = await seed(db.write);
  const lease = await session(other);
  const own = await take(KEY, lease);
  assert.ok((await left()).includes(own), "each organization has its own");
  await db.write.query({
    text: "delete from sessions where organization_id = $1",
    values: [other.organizationId],
  });
  for (const table of ["agents", "environments"])
    await db.write.query({
      text: `delete from ${table} where organization_id = $1`,
      values: [other.organizationId],
    });
  await db.write.query({ text: "delete from organizations where id = $1", values: [other.organizationId] });
  assert.equal((await knownVolumeSnapshots(db.write, [own])).size, 0);
});

test("a disk that is not verified is no disk to go on with: another is made, and no loss is told", async (t) => {
  const { db, lease } = await setUp(t);
  let taken = 0;
  const disks = {
    place: PLACE,
    has: async () => true,
    list: async () => [],
    takeAway: async () => {
      taken += 1;
      return null;
    },
  };
  const disk = new SessionDisk(db.write, lease, { directory: "/nowhere", home: PLACE, disks });
  assert.equal((await claimDisk(disk)).isNew, true);
  await markUnverified(db.write, lease);
  assert.equal(await disk.exists(), false);
  const before = taken;
  assert.equal((await claimDisk(disk)).isNew, true);
  assert.equal(taken, before + 1);
  await markUnverified(db.write, lease);
  await markVerified(db.write, lease);
  assert.equal(await disk.exists(), true);
  assert.equal((await claimDisk(disk)).isNew, false);
});

test("the digest of repositories: their order does not matter, their url, path and checkout do, their secrets do not", () => {
  const one = (more: object = {}, checkout: null | { type: "branch"; name: string } = null) => ({
    id: newUuid(),
    checkout,
    repository: {
      ...{ type: "git_repository" as const, url: "https://a.example/x", mountPath: "/data/x" },
      ...{ username: null, secret: null, ...more },
    },
  });
  const other = one({ url: "https://a.example/y", mountPath: "/data/y" });
  const digest = digestRepositories([one(), other]);
  assert.equal(digestRepositories([other, one({ secret: "s", username: "u" })]), digest);
  for (const changed of [
    one({ url: "https://b.example/x" }),
    one({ mountPath: "/data/z" }),
    one({}, { type: "branch", name: "side" }),
  ])
    assert.notEqual(digestRepositories([changed, other]), digest);
  assert.notEqual(digestRepositories([one()]), digest);
});
