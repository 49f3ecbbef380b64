import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { newUuid } from "@berth/contract";
import type { Lease } from "@berth/store/leases";
import { silentLog, type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import type { ToFrozenWorker } from "../../test-support/frozen-worker.ts";
import { LEASE_PROGRAM } from "../../test-support/lease-program.ts";
import { appendRunning } from "./append-events.ts";
import { LeaseKeeper } from "./lease-keeper.ts";

/** Milliseconds. On a slow machine a renewal may come seconds late. */
const LEASE_MS = 4_000;
const POLL_MS = 20;

/** Creates a session that this process holds, and a keeper of its lease. */
async function kept(t: TestContext, db: TestDatabase, options: { port?: number } = {}) {
  const lease = await seedLease(db.write, await seedSession(db.write, await seed(db.write)), newUuid());
  const lost = Promise.withResolvers<void>();
  let losses = 0;
  const abandon = async () => {
    losses += 1;
    lost.resolve();
  };
  const held = new Map([[lease.sessionId, { lease, abandon }]]);
  const connection = { ...db.connection, ...options };
  const { owner } = lease;
  const keeper = new LeaseKeeper({
    address: { connection },
    ...{ log: silentLog, owner, leaseMs: LEASE_MS, held, program: LEASE_PROGRAM },
  });
  t.after(() => keeper.close());
  return { lease, keeper, lost: lost.promise, losses: () => losses };
}

async function secondsLeft(db: TestDatabase, { sessionId }: Lease): Promise<number> {
  const { rows } = await db.write.query<{ left: number }>({
    text: "select extract(epoch from lease_until - clock_timestamp())::float8 as left from sessions where id = $1",
    values: [sessionId],
  });
  return rows[0]?.left ?? Number.NEGATIVE_INFINITY;
}

/** Waits until a renewal has shortened the lease: tests seed leases for longer than a period. */
async function untilRenewed(db: TestDatabase, lease: Lease): Promise<void> {
  while ((await secondsLeft(db, lease)) > LEASE_MS / 1_000) await pause(POLL_MS);
}

function blockThisThread(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

test("a thread that is busy for several lease periods keeps its leases", async (t) => {
  const db = await testDatabase(t);
  const { lease, losses } = await kept(t, db);
  await untilRenewed(db, lease);
  // The first renewal waits for its connection, on a slow machine for longer than a lease. Later ones do not.
  for (let count = 0; count < 2; count += 1) await untilNextRenewal(db, lease);
  const before = losses();
  blockThisThread(2 * LEASE_MS);
  assert.ok((await secondsLeft(db, lease)) > 0);
  await untilNextRenewal(db, lease);
  assert.equal(losses(), before);
});

async function untilNextRenewal(db: TestDatabase, lease: Lease): Promise<void> {
  for (let last = await secondsLeft(db, lease); ; ) {
    const next = await secondsLeft(db, lease);
    if (next > last) return;
    last = next;
    await pause(POLL_MS);
  }
}

test("the session is claimed again by another → it is abandoned", async (t) => {
  const db = await testDatabase(t);
  const { lease, lost } = await kept(t, db);
  await seedLease(db.write, lease.sessionId, newUuid());
  await lost;
});

test("a session that was let go is not renewed, and a later lease of it is", async (t) => {
  const db = await testDatabase(t);
  const { lease, keeper } = await kept(t, db);
  await untilRenewed(db, lease);
  keeper.hold({ ...lease, epoch: lease.epoch + 1 });
  keeper.drop(lease);
  await db.write.query({ text: "update sessions set lease_epoch = lease_epoch + 1" });
  await untilNextRenewal(db, lease);
});

test("no database answers → the sessions are abandoned when their lease ends", async (t) => {
  const db = await testDatabase(t);
  const { lost } = await kept(t, db, { port: 1 });
  await lost;
});

const PROGRAM = join(import.meta.dirname, "../../test-support/frozen-worker.ts");

test("a thread that is busy for good → its process is killed; one that is stopped as a whole goes on", async (t) => {
  const db = await testDatabase(t);
  const child = fork(PROGRAM, { serialization: "advanced", silent: true });
  t.after(() => child.kill("SIGKILL"));
  let text = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  child.send({ address: { connection: db.connection }, frozenMs: FROZEN_MS } satisfies ToFrozenWorker);
  await once(child, "message");
  await stopFor(child, 2 * FROZEN_MS);
  child.send("are you there?");
  assert.deepEqual((await once(child, "message"))[0], "yes");
  const lease = await seedLease(db.write, await seedSession(db.write, await seed(db.write)), "own");
  await appendRunning(db.write, lease);
  child.send("freeze");
  assert.deepEqual(await once(child, "exit"), [null, "SIGKILL"]);
  const { rows } = await db.read.query({
    text: "select runner_crashes as crashes, lease_owner as holder, pending_at is not null as due from sessions",
  });
  assert.deepEqual(rows, [{ crashes: 1, holder: null, due: true }]);
  assert.match(text, /the runner is frozen/);
});

const FROZEN_MS = 3_000;

async function stopFor(child: ChildProcess, milliseconds: number): Promise<void> {
  child.kill("SIGSTOP");
  blockThisThread(milliseconds);
  child.kill("SIGCONT");
}
