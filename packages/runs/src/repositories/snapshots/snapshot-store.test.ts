// Subject: the stores of mirrors and snapshots, their sweep, and the size limits of one build.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { newUuid } from "@berth/contract";
import type { Lease } from "@berth/store/leases";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { markAllAbsent } from "../../inputs/placement-store.ts";
import { readResources } from "../../inputs/resource-store.ts";
import { claimMirror, deleteMirror, markMirrored } from "./mirror-store.ts";
import { diskOf, type SnapshotDirectory, type StoredKind, sizeLimits } from "./snapshot-directory.ts";
import {
  claimSnapshot,
  deleteSnapshot,
  findFormerSetup,
  hasAnySnapshot,
  insertSnapshot,
  releaseSnapshot,
} from "./snapshot-store.ts";
import { evictSnapshots, sweepSnapshots } from "./sweep-snapshots.ts";

const URL = "https://git.example.com/acme/widget";
const MAIN = { checkout: "branch main", refsDigest: "now" };

interface Setup {
  db: TestDatabase;
  directory: SnapshotDirectory;
  building: Set<string>;
  /** Creates a session with the repository, in a new organization or in a given one. */
  session(from?: Awaited<ReturnType<typeof seed>>): Promise<{ lease: Lease; resource: string }>;
  /** Creates a snapshot of the session's organization, with a directory. */
  snapshot(
    lease: Lease,
    what?: {
      checkout?: string;
      refsDigest?: string;
      setup?: string;
      baseId?: string;
      bytes?: number;
      daysAgo?: number;
    },
  ): Promise<string>;
  sweepParts(limits?: { maxBytes?: number; maxIdleDays?: number }): Parameters<typeof evictSnapshots>[0];
  exists(kind: StoredKind, id: string): boolean;
}

async function setUp(t: TestContext): Promise<Setup> {
  const db = await testDatabase(t);
  const path = mkdtempSync(join(tmpdir(), "snapshots-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  const directory = { path, host: "here" };
  const building = new Set<string>();
  return {
    db,
    directory,
    building,
    async session(from) {
      const id = await seedSession(db.write, from ?? (await seed(db.write)));
      const resource = newUuid();
      await db.write.query({
        text: `insert into session_resources (id, session_id, type, url, mount_path) values ($1, $2, 'git_repository', $3, '/data/widget')`,
        values: [resource, id, URL],
      });
      return { lease: await seedLease(db.write, id, "me"), resource };
    },
    async snapshot(
      lease,
      { checkout = MAIN.checkout, refsDigest = MAIN.refsDigest, bytes = 100, daysAgo = 0, ...over } = {},
    ) {
      const mirror = await claimMirror(db.write, lease.sessionId, directory.host, URL);
      assert.ok(mirror);
      const id = newUuid();
      const row = { id, mirrorId: mirror.id, checkout, refsDigest, commit: "1".repeat(40), bytes, ...over };
      await insertSnapshot(db.write, row);
      await db.write.query({
        text: "update repository_snapshots set used_at = now() - $2 * interval '1 day' where id = $1",
        values: [id, daysAgo],
      });
      mkdirSync(diskOf(directory, "snapshots", id), { recursive: true });
      mkdirSync(diskOf(directory, "mirrors", mirror.id), { recursive: true });
      return id;
    },
    sweepParts: ({ maxBytes = 10_000, maxIdleDays = 14 } = {}) => ({
      db,
      directory,
      maxBytes,
      maxIdleDays,
      isBuilding: (id) => building.has(id),
    }),
    exists: (kind, id) => existsSync(diskOf(directory, kind, id)),
  };
}

const NEVER = new AbortController().signal;
const QUERY = { host: "here", ...MAIN };

test("claim: several snapshots → the one that fits, else the nearest, and none of another machine", async (t) => {
  const { db, session, snapshot } = await setUp(t);
  const { lease, resource } = await session();
  assert.equal(await claimSnapshot(db.write, lease, resource, QUERY), null);
  const side = await snapshot(lease, { checkout: "branch side" });
  assert.deepEqual(await claimSnapshot(db.write, lease, resource, QUERY), {
    ...(await claimSnapshot(db.write, lease, resource, QUERY)),
    id: side,
    fits: false,
  });
  const old = await snapshot(lease, { refsDigest: "then" });
  await snapshot(lease, { checkout: "branch side", refsDigest: "later" });
  assert.equal((await claimSnapshot(db.write, lease, resource, QUERY))?.id, old);
  const fitting = await snapshot(lease);
  await snapshot(lease, { refsDigest: "later" });
  const claimed = await claimSnapshot(db.write, lease, resource, QUERY);
  assert.deepEqual([claimed?.id, claimed?.fits], [fitting, true]);
  assert.equal(await claimSnapshot(db.write, lease, resource, { ...QUERY, host: "there" }), null);
  assert.equal(await hasAnySnapshot(db.read, lease.sessionId, "there", URL), false);
});

test("claim: another organization has a snapshot of the same url → it is not claimed", async (t) => {
  const { db, session, snapshot } = await setUp(t);
  const [own, other] = [await session(), await session()];
  const id = await snapshot(own.lease);
  assert.equal(await hasAnySnapshot(db.read, other.lease.sessionId, "here", URL), false);
  assert.equal(await claimSnapshot(db.write, other.lease, other.resource, QUERY), null);
  assert.equal(await claimSnapshot(db.write, own.lease, other.resource, QUERY), null, "another's resource");
  assert.equal((await claimSnapshot(db.write, own.lease, own.resource, QUERY))?.id, id);
  const mirrors = [own, other].map(({ lease }) => claimMirror(db.write, lease.sessionId, "here", URL));
  const [first, second] = await Promise.all(mirrors);
  assert.notEqual(first?.id, second?.id);
  assert.notEqual(first?.uid, second?.uid);
});

test("claim: set up → for exactly that setup, checkout and refs, in its own organization; never for who wants a plain one", async (t) => {
  const { db, session, snapshot } = await setUp(t);
  const [own, other] = [await session(), await session()];
  const baseId = await snapshot(own.lease, { refsDigest: "then" });
  const id = await snapshot(own.lease, { refsDigest: "then", setup: "make", baseId });
  const claim = async (query: { setup?: string; checkout?: string; refsDigest?: string }, by = own) =>
    await claimSnapshot(db.write, by.lease, by.resource, { ...QUERY, refsDigest: "then", ...query });
  const claimed = await claim({ setup: "make" });
  assert.deepEqual([claimed?.id, claimed?.baseId, claimed?.fits], [id, baseId, true]);
  const [resource] = await readResources(db.read, own.lease.sessionId);
  assert.ok(resource?.type === "git_repository");
  assert.equal(resource.snapshot?.baseId, baseId);
  for (const query of [{ setup: "other" }, { refsDigest: "now" }, { checkout: "branch side" }])
    assert.equal(await claim({ setup: "make", ...query }), null);
  assert.equal(await claim({ setup: "make" }, other), null);
  assert.deepEqual([(await claim({}))?.id, (await claim({ refsDigest: "now" }))?.id], [baseId, baseId]);
});

test("claim and release: the lease is lost → nothing changes", async (t) => {
  const { db, session, snapshot } = await setUp(t);
  const { lease, resource } = await session();
  const id = await snapshot(lease);
  const gone = { ...lease, epoch: lease.epoch - 1 };
  assert.equal(await claimSnapshot(db.write, gone, resource, QUERY), null);
  await claimSnapshot(db.write, lease, resource, QUERY);
  await releaseSnapshot(db.write, gone, resource);
  assert.equal(await deleteSnapshot(db.write, id), false);
});

test("sweep: a disk shows the snapshot → it stays; a mirror is deleted after its last snapshot", async (t) => {
  const { db, session, snapshot, sweepParts, exists } = await setUp(t);
  const { lease, resource } = await session();
  const id = await snapshot(lease);
  await claimSnapshot(db.write, lease, resource, QUERY);
  const [claimed] = await readResources(db.write, lease.sessionId);
  assert.equal(claimed?.type === "git_repository" && claimed.snapshot?.id, id);
  const nothing = sweepParts({ maxBytes: 0, maxIdleDays: 0 });
  await sweepSnapshots(nothing, NEVER);
  assert.ok(exists("snapshots", id));
  await markAllAbsent(db.write, lease);
  const mirror = await claimMirror(db.write, lease.sessionId, "here", URL);
  assert.equal(await deleteMirror(db.write, mirror?.id ?? ""), false);
  await sweepSnapshots(nothing, NEVER);
  assert.deepEqual([exists("snapshots", id), exists("mirrors", mirror?.id ?? "")], [false, false]);
  assert.equal(await hasAnySnapshot(db.read, lease.sessionId, "here", URL), false);
});

test("claims and deletions at once → a claimed snapshot stays, any other is deleted", async (t) => {
  const { db, session, snapshot } = await setUp(t);
  const from = await seed(db.write);
  const sessions = await Promise.all(Array.from({ length: 12 }, () => session(from)));
  for (let round = 0; round < 8; round++) {
    const [first] = sessions;
    assert.ok(first);
    const id = await snapshot(first.lease);
    const claims = sessions.map(({ lease, resource }) => claimSnapshot(db.write, lease, resource, QUERY));
    const deleted = deleteSnapshot(db.write, id);
    const claimed = (await Promise.allSettled(claims)).map(
      (each) => each.status === "fulfilled" && each.value?.id,
    );
    const some = claimed.some((each) => each === id);
    assert.equal(await deleted, !some, JSON.stringify(claimed));
    for (const { lease } of sessions) await markAllAbsent(db.write, lease);
    await deleteSnapshot(db.write, id);
  }
});

test("evict: older of one checkout, unused for long, limit exceeded → deleted, least recently used first", async (t) => {
  const { db, session, snapshot, sweepParts, exists } = await setUp(t);
  const { lease, resource } = await session();
  const [used, old] = [
    await snapshot(lease, { refsDigest: "used" }),
    await snapshot(lease, { refsDigest: "old" }),
  ];
  await claimSnapshot(db.write, lease, resource, { ...QUERY, refsDigest: "used" });
  const present = await snapshot(lease);
  const forgotten = await snapshot(lease, { checkout: "branch side", daysAgo: 15 });
  const evicted: Array<[id: string, reason: string]> = [];
  const telling = (limits?: { maxBytes: number }) => ({
    ...sweepParts(limits),
    onEvicted: ({ id }: { id: string }, reason: string) => void evicted.push([id, reason]),
  });
  await evictSnapshots(telling());
  const there = (...ids: string[]) => ids.map((id) => exists("snapshots", id));
  assert.deepEqual(there(used, old, present, forgotten), [true, false, true, false]);
  assert.deepEqual(new Map(evicted.splice(0)), new Map([old, forgotten].map((id) => [id, "expired"])));

  const [b, a] = [
    await snapshot(lease, { checkout: "branch b", daysAgo: 2 }),
    await snapshot(lease, { checkout: "branch a", daysAgo: 3 }),
  ];
  await evictSnapshots(telling({ maxBytes: 300 }));
  assert.deepEqual(there(used, present, a, b), [true, true, false, true]);
  assert.deepEqual(evicted, [[a, "space"]]);
  const mirror = await claimMirror(db.write, lease.sessionId, "here", URL);
  await markMirrored(db.write, mirror?.id ?? "", 1000);
  await evictSnapshots(sweepParts({ maxBytes: 300 }));
  assert.deepEqual(there(used, present, b), [true, false, false]);
  assert.ok(exists("mirrors", mirror?.id ?? ""), "a disk shows its snapshot");
});

test("evict: a snapshot stays while another lies over it, which is deleted with the next of its checkout and setup", async (t) => {
  const { db, session, snapshot, sweepParts, exists } = await setUp(t);
  const { lease, resource } = await session();
  const baseId = await snapshot(lease, { daysAgo: 15 });
  const used = await snapshot(lease, { setup: "make", baseId });
  const unused = await snapshot(lease, { setup: "test", baseId });
  const there = () => [baseId, used, unused].map((id) => exists("snapshots", id));
  assert.equal(await deleteSnapshot(db.write, baseId), false);
  await claimSnapshot(db.write, lease, resource, { ...QUERY, setup: "make" });
  await evictSnapshots(sweepParts());
  assert.deepEqual(there(), [true, true, true], "setups do not replace each other");
  const later = await snapshot(lease, { refsDigest: "later" });
  await evictSnapshots(sweepParts());
  assert.deepEqual(there(), [true, true, true], "the next of each setup begins with its package caches");
  const mirrorId = (await claimMirror(db.write, lease.sessionId, "here", URL))?.id ?? "";
  const former = (setup: string) => findFormerSetup(db.write, { mirrorId, checkout: MAIN.checkout, setup });
  assert.deepEqual(await former("test"), { id: unused, baseId, bytes: 100 });
  for (const setup of ["make", "test"]) await snapshot(lease, { refsDigest: "later", setup, baseId: later });
  await evictSnapshots(sweepParts());
  assert.deepEqual(there(), [true, true, false]);
  await releaseSnapshot(db.write, lease, resource);
  for (let looks = 0; looks < 2; looks += 1) await evictSnapshots(sweepParts());
  assert.deepEqual(there(), [false, false, false]);
  assert.notEqual((await former("test"))?.id, unused);
  assert.equal(await former("other"), null);
  assert.equal(await former(""), null);
});

test("sweep: directories without a row and rows without a directory → deleted, unless being built", async (t) => {
  const { db, directory, session, snapshot, sweepParts, exists, building } = await setUp(t);
  const { lease } = await session();
  const [lost, kept] = [await snapshot(lease), await snapshot(lease, { checkout: "branch side" })];
  rmSync(diskOf(directory, "snapshots", lost), { recursive: true });
  const [half, making, mirror] = [newUuid(), newUuid(), newUuid()];
  for (const id of [half, making]) mkdirSync(diskOf(directory, "snapshots", id));
  mkdirSync(diskOf(directory, "mirrors", mirror));
  mkdirSync(`${diskOf(directory, "snapshots", newUuid())}.00112233.deleted/data`, { recursive: true });
  building.add(making);
  await sweepSnapshots(sweepParts(), NEVER);
  assert.deepEqual(
    [half, making, kept].map((id) => exists("snapshots", id)),
    [false, true, true],
  );
  assert.ok(!exists("mirrors", mirror));
  const { rows } = await db.read.query<{ id: string }>({ text: "select id from repository_snapshots" });
  assert.deepEqual(rows, [{ id: kept }]);
});

test("claim mirror: the cycle of uids has begun anew → no uid is assigned twice, and a known mirror takes none", async (t) => {
  const { db, session } = await setUp(t);
  const { lease } = await session();
  const claim = (url: string) => claimMirror(db.write, lease.sessionId, "here", url);
  const first = await claim(URL);
  const second = await claim(`${URL}-2`);
  assert.ok(first && second);
  const next = async () =>
    Number(
      (await db.write.query<{ last_value: string }>({ text: "select last_value from repository_uids" }))
        .rows[0]?.last_value,
    );
  assert.deepEqual([await claim(URL), await next()], [first, second.uid]);
  await db.write.query({ text: "select setval('repository_uids', $1, false)", values: [first.uid] });
  const third = await claim(`${URL}-3`);
  assert.equal(third?.uid, second.uid + 1);
});

test("claim mirror: an organization has reached its limit of a machine → null for it there, uids for others and elsewhere", async (t) => {
  const { db, session } = await setUp(t);
  const [own, other] = [await session(), await session()];
  const claim = (of: typeof own, url: string) => claimMirror(db.write, of.lease.sessionId, "here", url);
  assert.ok(await claim(own, URL));
  await db.write.query({
    text: `insert into repository_mirrors (id, organization_id, host, url, uid)
      select gen_random_uuid(), organization_id, host, url || number, nextval('repository_uids')
      from repository_mirrors, generate_series(2, 512) as number`,
  });
  assert.equal(await claim(own, `${URL}-another`), null);
  assert.ok(await claim(own, URL));
  assert.ok(await claim(other, `${URL}-another`));
  assert.ok(await claimMirror(db.write, own.lease.sessionId, "there", `${URL}-another`));
});

test("size limits: a quarter of the limit of all, and an eighth of what is free", () => {
  const left = { bavail: 1_000, bsize: 4_096, files: 100, ffree: 80 };
  assert.deepEqual(sizeLimits(40_960, left), { maxBytes: 10_240, maxFiles: 10 });
  assert.deepEqual(sizeLimits(2 ** 40, left), { maxBytes: 512_000, maxFiles: 10 });
  assert.deepEqual(sizeLimits(40_960, { ...left, files: 0, ffree: 0 }).maxFiles, 1_000_000);
});
