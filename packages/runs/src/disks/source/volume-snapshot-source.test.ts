// Subject: which sessions' disks are made from snapshots of volumes, and of which disks snapshots are taken,
// with a cluster that succeeds as told.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { LeaseLost } from "@berth/agent";
import { Semaphore } from "@berth/concurrency";
import { newUuid } from "@berth/contract";
import { type DiskSnapshots, ImageError, NoRoomError, type Sandbox, SandboxError } from "@berth/sandbox";
import { testDatabase } from "@berth/store/test-support/database";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { pino } from "pino";
import type { SessionRepository } from "../../inputs/placement.ts";
import type { RunFile, RunMemoryStore, RunRepository, RunResource } from "../../inputs/resource-store.ts";
import { readDisk } from "../disk-store.ts";
import { SessionDisk } from "../session-disk.ts";
import { VolumeSnapshots } from "../volume-snapshots/volume-snapshots.ts";
import { VolumeSnapshotSource } from "./volume-snapshot-source.ts";

const common = { ready: false, failure: null, failedAt: null, inputs: "" };
const repository: RunRepository = {
  ...{
    ...common,
    id: newUuid(),
    type: "hosted_repository",
    url: "https://a.example/x",
    mountPath: "/data/x",
  },
  ...{
    username: null,
    checkout: null,
    environmentFrom: null,
    isTokenDue: false,
    secret: null,
    snapshot: null,
    baseCommit: null,
    revision: 0,
  },
  ...{ attempts: 0, failingMs: 0, retryInMs: null },
};
const file = (mountPath: string): RunFile => ({
  ...{ ...common, id: newUuid(), type: "file", mountPath, fileId: newUuid(), sha256: null, repository: null },
});
const store: RunMemoryStore = {
  ...{ ...common, id: newUuid(), type: "memory_store", mountPath: "/memory", storeId: newUuid() },
  ...{ access: "read_only", name: "notes", description: null, instructions: null },
};
const REFS = { head: "refs/heads/main", objects: new Map([["refs/heads/main", "1".repeat(40)]]) };

async function setUp(t: TestContext, fault: string | null = null) {
  const db = await testDatabase(t);
  const lease = await seedLease(db.write, await seedSession(db.write, await seed(db.write)), "worker");
  const taken: string[] = [];
  const there = new Map<string, { isReady: boolean; bytes: number }>();
  const snapshots: DiskSnapshots = {
    diskBytes: 1_000,
    fault: async () => fault,
    take: async (_disk, id) => {
      taken.push(id);
      there.set(id, { isReady: true, bytes: 100 });
    },
    find: async (id) => {
      const found = there.get(id);
      return found === undefined ? null : { id, ...found };
    },
    list: async () => [...there].map(([id, found]) => ({ id, ...found })),
    remove: async (id) => void there.delete(id),
  };
  const place = "kubernetes:a/b";
  const disks = { place, snapshots, has: async () => true, list: async () => [], takeAway: async () => null };
  const log = pino({ level: "silent" });
  let refused = false;
  const volumeSnapshots = await VolumeSnapshots.open({
    ...{ db, disks, log, owner: "database", maxIdleDays: 14, repositoryVariables: () => ({}) },
    listRefs: async () => (refused ? null : REFS),
  });
  const credentials = {
    unsealedRepository: (one: RunRepository): SessionRepository => one as never,
    repositoryInside: async (one: RunRepository): Promise<SessionRepository> => one as never,
  };
  const disk = new SessionDisk(db.write, lease, { directory: "/nowhere", home: place, disks });
  const { signal } = new AbortController();
  const parts = { db, volumeSnapshots, credentials, clones: new Semaphore(1), log };
  const source = (
    resources: readonly RunResource[] = [repository],
    session: object = {},
    { diskBytes = 500 } = {},
  ) => {
    const own = { image: null, repositorySetup: null, devcontainer: null, toChoose: null, ...session };
    return VolumeSnapshotSource.of(parts, { lease, disk, signal, resources, session: own, diskBytes });
  };
  const savesMuch = async () => await source()?.savesMuch();
  const take = async (isAlone = () => true) => {
    const own = source();
    await own?.take();
    await own?.taking(SANDBOX, SPEC, {})?.(isAlone);
  };
  const refuse = (now: boolean) => {
    refused = now;
  };
  return { db, lease, disk, volumeSnapshots, savesMuch, source, take, taken, there, refuse };
}

const SPEC = { disk: "sesn_1", writable: [] };

/** Every command in it succeeds. */
const SANDBOX = {
  run: async () => ({ exitCode: 0, ended: "exit", output: new Uint8Array() }),
  closed: new Promise<void>(() => {}),
  close: async () => {},
} as unknown as Sandbox;

test("a disk becomes a snapshot only of a session of the operator's image with repositories and nothing else on its disk", async (t) => {
  const { source } = await setUp(t);
  const becomes = async (...words: Parameters<typeof source>) =>
    (source(...words)?.taking(SANDBOX, SPEC, {}) ?? null) !== null;
  assert.equal(await becomes(), true);
  assert.equal(await becomes([repository, file("/mnt/session/uploads/a")]), true);
  assert.equal(await becomes([repository], { image: "own" }), false, "its git may be another");
  assert.equal(await becomes([repository], { repositorySetup: { script: "x", isRequired: false } }), false);
  for (const other of [file("/data/a"), file("/data/x/a"), store])
    assert.equal(await becomes([repository, other]), false, other.mountPath);
  assert.equal(await becomes([]), false);
});

test("a session begins on one once all its repositories are listed for its own credential", async (t) => {
  const { source, take, taken, there, refuse } = await setUp(t);
  const found = async (...words: Parameters<typeof source>) =>
    (await source(...words)?.take())?.diskSource ?? null;
  assert.equal(await found(), null);
  await take();
  const [id = ""] = taken;
  assert.equal(await found(), id);
  assert.equal(
    await found([repository, file("/data/a"), store], { image: "own" }),
    id,
    "whatever else it has",
  );
  assert.equal(await found([{ ...repository, id: newUuid(), mountPath: "/data/y" }]), null);
  assert.equal(await found([{ ...repository, failure: "no" }]), null, "it is not put in place");
  assert.equal(await found([repository], {}, { diskBytes: 99 }), null, "its disk is too small");
  refuse(true);
  assert.equal(await found(), null);
  refuse(false);
  there.set(id, { isReady: false, bytes: 100 });
  assert.equal(await found(), null, "it is not ready");
  there.clear();
  assert.equal(await found(), null, "it is gone");
  await take();
  assert.equal(taken.length, 2, "and the next session takes another");
});

test("a pod of the pool goes before a snapshot of what is cloned in seconds, and not before one of what took long", async (t) => {
  const { db, savesMuch, take } = await setUp(t);
  assert.equal(await savesMuch(), false, "there is none");
  await take();
  assert.equal(await savesMuch(), false, "it was cloned at once");
  await db.write.query({ text: "update volume_snapshots set clone_seconds = 10" });
  assert.equal(await savesMuch(), true);
  await take();
  const newest = await db.read.query<{ seconds: number }>({
    text: "select clone_seconds as seconds from volume_snapshots order by taken_at desc limit 1",
  });
  assert.deepEqual(newest.rows, [{ seconds: 10 }], "the next snapshot is told that, too");
});

test("a snapshot of which no disk can be made is given up, for a while, with the disk; other failures end the opening", async (t) => {
  const { db, lease, source, take, taken } = await setUp(t);
  await take();
  const own = source();
  const disk = await own?.take();
  assert.equal(disk?.diskSource, taken[0]);
  assert.equal(
    (await readDisk(db.write, lease)).restoring,
    true,
    "nobody may use the disk before it is checked",
  );
  for (const error of [new LeaseLost(), new NoRoomError(), new ImageError("The image is not there.")])
    assert.equal(await disk?.giveUp?.(error), false, error.message);
  assert.notEqual(await source()?.take(), null);
  assert.equal(await disk?.giveUp?.(new SandboxError("the volume cannot be made")), true);
  assert.equal(await source()?.take(), null);
  await own?.taking(SANDBOX, SPEC, {})?.(() => true);
  assert.equal(taken.length, 1, "no other is taken within the hour, since none is replaced");
});

test("a snapshot into which something may have come is deleted, and never used", async (t) => {
  const { source, take, there, taken } = await setUp(t);
  await take(() => false);
  assert.deepEqual([taken.length, there.size], [1, 0]);
  assert.equal(await source()?.take(), null);
});

test("the sweep deletes what no row knows, and keeps the rest", async (t) => {
  const { volumeSnapshots, take, there, taken } = await setUp(t);
  await take();
  there.set(newUuid(), { isReady: true, bytes: 1 });
  await volumeSnapshots?.sweep(new AbortController().signal);
  assert.deepEqual([...there.keys()], taken);
});

test("what the cluster lacks is found when the service starts: then no disk is made of a snapshot", async (t) => {
  const { volumeSnapshots, source } = await setUp(t, "The cluster knows none.");
  assert.equal(volumeSnapshots, null);
  assert.equal(source(), null);
});
