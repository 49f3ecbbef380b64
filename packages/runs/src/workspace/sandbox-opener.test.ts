// Subject: on which disk a session's first sandbox is opened, and what its log says, with an engine that has
// disks of its own, a pool and snapshots of volumes, and that fails as told.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { newUuid } from "@berth/contract";
import { type DiskSnapshots, NoRoomError, SandboxError } from "@berth/sandbox";
import { openDiskBlobs } from "@berth/store/blobs";
import { silentLog, testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { addReady, MadeSandboxes, PLAIN } from "../../test-support/warm.ts";
import { bash, HERE, idles, installation, steps } from "../../test-support/worker.ts";
import { VolumeSnapshots } from "../disks/volume-snapshots/volume-snapshots.ts";
import { digestRepositories } from "../repositories/list-repositories.ts";

/** What a sandbox was to be opened on. */
type Opening = "own" | "pool" | "snapshot";

const REPOSITORY = { url: "https://git.example/o/r", mountPath: "/data/r" };
const REFS = { head: "refs/heads/main", objects: new Map([["refs/heads/main", "1".repeat(40)]]) };

async function cluster(
  t: TestContext,
  {
    pool = false,
    cloneSeconds = null,
    isListed = true,
  }: { pool?: boolean; cloneSeconds?: number | null; isListed?: boolean },
) {
  const db = await testDatabase(t);
  const own = await installation(t, db);
  const made = new MadeSandboxes();
  const sessionId = await seedSession(db.write, await seed(db.write));
  await db.write.query({
    text: `insert into session_resources (id, session_id, type, url, mount_path)
      values ($1, $2, 'git_repository', $3, $4)`,
    values: [newUuid(), sessionId, REPOSITORY.url, REPOSITORY.mountPath],
  });
  const snapshot = newUuid();
  const repository = { repository: REPOSITORY as never, checkout: null, id: "" };
  if (cloneSeconds !== null)
    await db.write.query({
      text: `insert into volume_snapshots (id, organization_id, place, repositories, bytes, taken_at, used_at, refs_digest, clone_seconds)
        select $2, organization_id, $3, $4, 1, now(), now(), 'former', $5 from sessions where id = $1`,
      values: [sessionId, snapshot, made.place, digestRepositories([repository]), cloneSeconds],
    });
  const snapshots: DiskSnapshots = {
    diskBytes: 1_000,
    fault: async () => null,
    take: async () => {},
    find: async (id) => ({ id, isReady: true, bytes: 1 }),
    list: async () => [],
    remove: async () => {},
  };
  const volumeSnapshots = await VolumeSnapshots.open({
    ...{ db, log: silentLog, owner: "database", maxIdleDays: 14, repositoryVariables: () => ({}) },
    disks: {
      ...{ place: made.place, snapshots, has: (name) => made.has(name), list: () => made.list() },
      takeAway: (name) => made.takeAway(name),
    },
    listRefs: async () => (isListed ? REFS : null),
  });
  if (pool) await addReady(db, made);
  const openings: Opening[] = [];
  const failures = new Map<Opening, Error>();
  const open = own.engine.open;
  own.engine.open = async (spec) => {
    const kind = spec.diskSource === snapshot ? "snapshot" : spec.fromPool === true ? "pool" : "own";
    openings.push(kind);
    const failure = failures.get(kind);
    if (failure !== undefined) throw failure;
    made.made.set(spec.disk, true);
    return await open({ ...spec, disk: join(own.disks, spec.disk) });
  };
  const start = async () => {
    await own.send(sessionId, steps(bash("echo one")));
    await own.worker({
      host: { ...HERE, place: made.place, settings: { BERTH_KUBERNETES_WARM_PODS: "1" } },
      disks: { directory: own.disks, home: made.place, disks: made },
      leaseMs: 120_000,
      sandboxIdleMs: 600_000,
      pool: { wish: () => (pool ? { key: "plain", shape: PLAIN } : null) },
      volumeSnapshots,
    });
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    return log.map(({ event }) => event);
  };
  return { db, own, sessionId, openings, failures, start };
}

const UNUSABLE = new SandboxError("The disk does not serve.");
const SECONDS = [null, 1, 10];

for (const pool of [false, true])
  for (const cloneSeconds of SECONDS)
    test(`a new disk, ${pool ? "a pool" : "no pool"}, a snapshot of what took ${cloneSeconds} s to clone: each unusable source is passed over, and nothing is reported`, async (t) => {
      const order: Opening[] = [
        ...(cloneSeconds === 10 ? ["snapshot" as const] : []),
        ...(pool ? ["pool" as const] : []),
        ...(cloneSeconds === 1 ? ["snapshot" as const] : []),
        "own",
      ];
      for (const [failing, expected] of order.entries()) {
        const { openings, failures, start } = await cluster(t, { pool, cloneSeconds });
        for (const kind of order.slice(0, failing)) failures.set(kind, UNUSABLE);
        const log = await start();
        const first = openings.slice(0, failing + 1);
        assert.deepEqual(first, order.slice(0, failing + 1), `${expected}`);
        assert.equal(log.filter(({ type }) => type === "session.error").length, 0);
        const started = log.filter(({ type }) => type === "session.container_started").length;
        assert.equal(started, openings.filter((kind) => !failures.has(kind)).length);
      }
    });

test("a snapshot whose host does not list the repository is none, however much it saves", async (t) => {
  for (const pool of [false, true]) {
    const { openings, start } = await cluster(t, { pool, cloneSeconds: 10, isListed: false });
    await start();
    assert.equal(openings[0], pool ? "pool" : "own");
  }
});

test("no room is no fault of a disk: it ends the opening, in words for users", async (t) => {
  for (const [options, kind] of [
    [{ pool: true }, "pool"],
    [{ cloneSeconds: 1 }, "snapshot"],
    [{}, "own"],
  ] as const) {
    const { openings, failures, start } = await cluster(t, options);
    failures.set(kind, new NoRoomError());
    const log = await start();
    assert.equal(openings[0], kind);
    assert.ok(
      openings.every((one) => one === kind || one === "own"),
      "the disk of the pool is its own then",
    );
    const errors = log.flatMap((event) => (event.type === "session.error" ? [event.error.message] : []));
    assert.deepEqual([...new Set(errors)], [new NoRoomError().message]);
    // Each opening that fails, for the repository or for the command, is reported once.
    assert.equal(errors.length, openings.filter((one) => one === kind).length);
  }
});

test("the last source fails: its failure is the one that is reported", async (t) => {
  const { openings, failures, start } = await cluster(t, { cloneSeconds: 10 });
  failures.set("snapshot", UNUSABLE).set("own", new SandboxError("not for users"));
  const log = await start();
  assert.deepEqual(openings.slice(0, 2), ["snapshot", "own"]);
  const errors = log.flatMap((event) => (event.type === "session.error" ? [event.error.message] : []));
  assert.deepEqual([...new Set(errors)], ["The session's sandbox could not be opened."]);
  // The snapshot is not tried again for a while.
  assert.deepEqual(
    [...new Set(openings.slice(2))].filter((kind) => kind !== "own"),
    [],
  );
  assert.equal(errors.length, openings.length - 1);
});

for (const isDamaged of [false, true])
  test(`a lost disk with a ${isDamaged ? "damaged" : "whole"} save, beside a pool and a snapshot`, async (t) => {
    const { db, own, sessionId, openings, start } = await cluster(t, { pool: true, cloneSeconds: 1 });
    const blobs = await openDiskBlobs(own.blobs);
    const staged = await blobs.stage(Readable.from([Buffer.from("archive")]));
    await (isDamaged ? staged.discard() : staged.keep());
    await db.write.query({
      text: `insert into workspace_saves (session_id, sha256, size_bytes, saved_at, seq, in_place, bases, contents)
        select $1, $2, 7, '2026-01-02T03:04:05Z', 0, array(select id from session_resources where session_id = $1), '[]', array[$2]`,
      values: [sessionId, staged.sha256],
    });
    await db.write.query({
      text: "update sessions set home = 'kubernetes:here', workspace_uid = 70000 where id = $1",
      values: [sessionId],
    });
    const log = await start();
    assert.deepEqual(openings.slice(0, isDamaged ? 2 : 1), isDamaged ? ["own", "pool"] : ["own"]);
    const told = log.flatMap((event) => {
      if (event.type === "session.container_reclaimed")
        return [`${event.reason} ${event.save !== undefined}`];
      if (event.type === "session.error") return [event.error.message];
      if (event.type === "session.container_started") return [`started ${event.restored?.saved_at}`];
      return event.type === "session.resource_ready" ? ["ready"] : [];
    });
    const SAVED_AT = "2026-01-02T03:04:05.000Z";
    const expected = isDamaged
      ? [
          "lost true",
          `The workspace that was saved at ${SAVED_AT} was not restored completely: it is damaged, so none of its files are there.`,
          "lost false",
          "started undefined",
          "ready",
        ]
      : ["lost true", `started ${SAVED_AT}`];
    assert.deepEqual(told.slice(0, expected.length), expected);
    const left = await db.read.query({ text: "select restoring from workspace_saves" });
    assert.deepEqual(left.rows, isDamaged ? [] : [{ restoring: false }]);
  });
