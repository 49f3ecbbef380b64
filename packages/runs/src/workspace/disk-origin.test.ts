// Subject: which sessions' disks are made from snapshots of volumes, and of which disks snapshots are taken,
// with a cluster that succeeds as told.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Semaphore } from "@berth/concurrency";
import { newUuid } from "@berth/contract";
import type { DiskSnapshots, Sandbox } from "@berth/sandbox";
import { testDatabase } from "@berth/store/test-support/database";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { pino } from "pino";
import { VolumeSnapshots } from "../disks/volume-snapshots/volume-snapshots.ts";
import type { SessionRepository } from "../inputs/placement.ts";
import type { RunFile, RunMemoryStore, RunRepository, RunResource } from "../inputs/resource-store.ts";
import { DiskOrigin } from "./disk-origin.ts";

const common = { ready: false, failure: null, failedAt: null, inputs: "" };
const repository: RunRepository = {
  ...{
    ...common,
    id: newUuid(),
    type: "hosted_repository",
    url: "https://a.example/x",
    mountPath: "/data/x",
  },
  ...{ username: null, checkout: null, secret: null, snapshot: null, baseCommit: null, revision: 0 },
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
  const parts = { volumeSnapshots, credentials, clones: new Semaphore(1), log };
  const spec = { disk: "sesn_1", writable: [], limits: { memoryBytes: 1, pids: 1, cpus: 1, diskBytes: 500 } };
  const target = { lease, resources: [repository], session: { image: null, repositorySetup: null }, spec };
  const savesMuch = () => DiskOrigin.savesMuch(parts, target);
  const find = (
    resources: readonly RunResource[] = [repository],
    session: object = {},
    { diskBytes = 500, mayBeMade = true } = {},
  ) =>
    DiskOrigin.find(
      parts,
      {
        ...{ lease, resources, session: { image: null, repositorySetup: null, ...session } },
        spec: { ...spec, limits: { ...spec.limits, diskBytes } },
      },
      mayBeMade,
    );
  const take = async (isAlone = () => true) => await (await find())?.taking(SANDBOX)?.(isAlone);
  const refuse = (now: boolean) => {
    refused = now;
  };
  return { db, volumeSnapshots, savesMuch, find, take, taken, there, refuse };
}

/** Every command in it succeeds. */
const SANDBOX = {
  run: async () => ({ exitCode: 0, ended: "exit", output: new Uint8Array() }),
  closed: new Promise<void>(() => {}),
  close: async () => {},
} as unknown as Sandbox;

test("a disk becomes a snapshot only of a session of the operator's image with repositories and nothing else on its disk", async (t) => {
  const { find } = await setUp(t);
  const becomes = async (...words: Parameters<typeof find>) =>
    ((await find(...words))?.taking(SANDBOX) ?? null) !== null;
  assert.equal(await becomes(), true);
  assert.equal(await becomes([repository, file("/mnt/session/uploads/a")]), true);
  assert.equal(await becomes([repository], { image: "own" }), false, "its git may be another");
  assert.equal(await becomes([repository], { repositorySetup: { script: "x", isRequired: false } }), false);
  for (const other of [file("/data/a"), file("/data/x/a"), store])
    assert.equal(await becomes([repository, other]), false, other.mountPath);
  assert.equal(await becomes([]), false);
});

test("a session begins on one once all its repositories are listed for its own credential", async (t) => {
  const { find, take, taken, there, refuse } = await setUp(t);
  const source = async (...words: Parameters<typeof find>) => (await find(...words))?.source?.id ?? null;
  assert.equal(await source(), null);
  await take();
  const [id = ""] = taken;
  assert.equal(await source(), id);
  assert.equal(
    await source([repository, file("/data/a"), store], { image: "own" }),
    id,
    "whatever else it has",
  );
  assert.equal(await source([{ ...repository, id: newUuid(), mountPath: "/data/y" }]), null);
  assert.equal(await source([{ ...repository, failure: "no" }]), null, "it is not put in place");
  assert.equal(await source([repository], {}, { diskBytes: 99 }), null, "its disk is too small");
  assert.equal(await source([repository], {}, { mayBeMade: false }), null);
  refuse(true);
  assert.equal(await source(), null);
  refuse(false);
  there.set(id, { isReady: false, bytes: 100 });
  assert.equal(await source(), null, "it is not ready");
  there.clear();
  assert.equal(await source(), null, "it is gone");
  await take();
  assert.equal(taken.length, 2, "and the next session takes another");
});

test("a pod of the pool goes before a snapshot of what is cloned in seconds, and not before one of what took long", async (t) => {
  const { db, find, savesMuch, take } = await setUp(t);
  assert.equal(await savesMuch(), false, "there is none");
  await take();
  assert.equal(await savesMuch(), false, "it was cloned at once");
  await db.write.query({ text: "update volume_snapshots set clone_seconds = 10" });
  assert.equal(await savesMuch(), true);
  assert.equal((await find())?.source?.cloneSeconds, 10, "the next snapshot is told that, too");
});

test("a snapshot into which something may have come is deleted, and never used", async (t) => {
  const { find, take, there, taken } = await setUp(t);
  await take(() => false);
  assert.deepEqual([taken.length, there.size], [1, 0]);
  assert.equal((await find())?.source, null);
});

test("the sweep deletes what no row knows, and keeps the rest", async (t) => {
  const { volumeSnapshots, take, there, taken } = await setUp(t);
  await take();
  there.set(newUuid(), { isReady: true, bytes: 1 });
  await volumeSnapshots?.sweep(new AbortController().signal);
  assert.deepEqual([...there.keys()], taken);
});

test("what the cluster lacks is found when the service starts: then no disk is made of a snapshot", async (t) => {
  const { volumeSnapshots, find } = await setUp(t, "The cluster knows none.");
  assert.equal(volumeSnapshots, null);
  assert.equal(await find(), null);
});
