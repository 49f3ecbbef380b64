import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { LogEntry } from "@berth/agent";
import { formatId } from "@berth/contract";
import { appendTerminated } from "@berth/store/session-log";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { readLog } from "@berth/store/test-support/internals/session-log";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { bash, HERE, idles, installation, steps, types } from "../../test-support/worker.ts";
import { reportAway } from "../lease/report-away.ts";
import type { WorkerOptions } from "./worker.ts";

/** The second of two installations on one database. Their workers poll often and keep no sandbox open. */
const THERE = { ...HERE, id: "there", place: "there" };
const QUICK = { pollMs: 20, sandboxIdleMs: 0, leaseMs: 60_000 };

/** Creates a session that had a turn at `here`, whose worker is closed. `there` takes part later. */
async function twoHosts(t: TestContext) {
  const db = await testDatabase(t);
  const [here, there] = [await installation(t, db), await installation(t, db)];
  const session = await seedSession(db.write, await seed(db.write));
  const first = await here.worker(QUICK);
  await here.send(session, steps(bash("echo one")));
  await here.until(session, (log) => idles(log) === 1);
  await first.close();
  const disk = join(here.disks, formatId("session", session));
  assert.ok(existsSync(disk));
  const otherWorker = (options: Partial<WorkerOptions> = {}) =>
    there.worker({ ...QUICK, host: THERE, disks: { directory: there.disks, home: "there" }, ...options });
  return { db, here, there, session, disk, otherWorker };
}

/** Makes the host `here` unseen for this time. `there` was up all the time. */
async function unseenFor(db: TestDatabase, seconds: number): Promise<void> {
  await db.write.query({
    text: "update hosts set seen_at = now() - $1 * interval '1 second' where id = 'here'",
    values: [seconds],
  });
  await db.write.query({
    text: `insert into hosts (id, place, version, settings, capacity, name, role, up_since)
      values ('there', 'there', 'test', '{}', 1, 'there', 'all', now() - interval '1 hour')
      on conflict (id) do update set up_since = excluded.up_since`,
  });
}

const told = (log: readonly LogEntry[]) =>
  types(log).filter((type) => type === "session.status_rescheduled").length;

async function statusOf(db: TestDatabase, session: string): Promise<unknown> {
  const text = "select status, home from sessions where id = $1";
  return (await db.read.query({ text, values: [session] })).rows[0];
}

describe("homes", () => {
  test("the home is away within the grace: told once as rescheduled, then the turn runs on its disk", async (t) => {
    const { db, here, there, session, disk, otherWorker } = await twoHosts(t);
    await otherWorker();
    await there.send(session, steps(bash("echo two")));
    await unseenFor(db, 100);
    await here.until(session, (log) => told(log) === 1);
    assert.deepEqual(await statusOf(db, session), { status: "rescheduling", home: "here" });
    assert.deepEqual(await reportAway(db, "there", 15_000), [], "told once");
    await here.worker(QUICK);
    const log = await here.until(session, (entries) => idles(entries) === 2);
    assert.equal(told(log), 1);
    const after = types(log).slice(types(log).indexOf("session.status_rescheduled") + 1);
    assert.equal(after[0], "session.status_running");
    assert.ok(!types(log).includes("session.container_reclaimed"));
    assert.deepEqual(there.engine.specs, [], "the other host opened no sandbox");
    assert.ok(existsSync(disk));
    assert.deepEqual(await statusOf(db, session), { status: "idle", home: "here" });
  });

  test("a running turn on SIGTERM is left to its home, which continues it", async (t) => {
    const { db, here, there, session, otherWorker } = await twoHosts(t);
    const worker = await here.worker(QUICK);
    const began = once(here.engine.events, "command");
    await here.send(session, steps(bash("hang"), { say: "Done." }));
    await began;
    const other = await otherWorker();
    await worker.close();
    await unseenFor(db, 100);
    await here.until(session, (log) => told(log) === 1);
    await other.close();
    await here.worker(QUICK);
    const log = await here.until(session, (entries) => idles(entries) === 2);
    assert.ok(!types(log).includes("session.container_reclaimed"));
    assert.deepEqual(there.engine.specs, []);
  });

  test("after the grace another host takes the session over, and the loss is told", async (t) => {
    const { db, there, session, otherWorker } = await twoHosts(t);
    await unseenFor(db, 121);
    await otherWorker();
    await there.send(session, steps(bash("echo two")));
    const log = await there.until(session, (entries) => idles(entries) === 2);
    assert.deepEqual(reasons(log), ["lost"]);
    assert.deepEqual(await statusOf(db, session), { status: "idle", home: "there" });
  });

  test("what makes a session due without a turn is not told as rescheduled", async (t) => {
    const { db, session } = await twoHosts(t);
    await unseenFor(db, 100);
    await db.write.query({ text: "update sessions set pending_at = now()" });
    assert.deepEqual(await reportAway(db, "there", 15_000), []);
    assert.equal(told(await readLog(db.read, session)), 0);
  });

  test("terminated while the home is away: taken over after the grace, and no disk is named any more", async (t) => {
    const { db, session, otherWorker } = await twoHosts(t);
    await unseenFor(db, 121);
    await appendTerminated(db.write, session);
    await otherWorker();
    const signal = AbortSignal.timeout(60_000);
    const isLeft = async () =>
      (
        await db.read.query({
          text: "select 1 from sessions where home is not null or lease_owner is not null",
        })
      ).rows.length > 0;
    while (await isLeft()) signal.throwIfAborted();
    assert.deepEqual(await statusOf(db, session), { status: "terminated", home: null });
  });

  test("drained, with disks that others can use: they stay, and another host goes on with the session", async (t) => {
    const db = await testDatabase(t);
    const all = await installation(t, db);
    const place = "kubernetes:1/sandboxes";
    const disks = { directory: all.disks, home: place };
    const session = await seedSession(db.write, await seed(db.write));
    const options = { ...QUICK, reclaimMs: 3_600_000, disks };
    const here = { ...options, host: { ...HERE, place } };
    const first = await all.worker(here);
    await all.send(session, steps(bash("echo one")));
    await all.until(session, (log) => idles(log) === 1);
    await first.close();
    await db.write.query({ text: "update hosts set draining = true where id = 'here'" });
    await all.worker(here);
    const other = await all.worker({ ...options, host: { ...HERE, id: "other", place } });
    const began = once(all.engine.events, "command");
    await all.send(session, steps(bash("linger")));
    await began;
    assert.deepEqual(
      [other.holds(session), await statusOf(db, session)],
      [true, { status: "running", home: place }],
    );
    all.engine.events.emit("go", "linger");
    const log = await all.until(session, (entries) => idles(entries) === 2);
    assert.ok(!types(log).includes("session.container_reclaimed"));
  });

  test("drained: outputs are saved, the disk is given up when the session is quiet, and nothing new is taken", async (t) => {
    const { db, here, session, disk, otherWorker } = await twoHosts(t);
    await db.write.query({ text: "update hosts set draining = true where id = 'here'" });
    await here.worker(QUICK);
    const log = await here.until(session, (entries) =>
      types(entries).includes("session.container_reclaimed"),
    );
    assert.deepEqual(reasons(log), ["drained"]);
    await gone(disk);
    await here.send(session, steps(bash("echo two")));
    await otherWorker();
    await here.until(session, (entries) => idles(entries) === 2);
    assert.deepEqual(await statusOf(db, session), { status: "idle", home: "there" });
  });
});

function reasons(log: readonly LogEntry[]): string[] {
  return log.flatMap(({ event }) => (event.type === "session.container_reclaimed" ? [event.reason] : []));
}

async function gone(path: string): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  while (existsSync(path)) {
    signal.throwIfAborted();
    await new Promise(setImmediate);
  }
}
