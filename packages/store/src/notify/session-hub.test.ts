import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { describe, type TestContext, test } from "node:test";
import { newUuid } from "@berth/contract";
import { silentLog, type TestDatabase, testDatabase } from "../../test-support/database.ts";
import { seed, seedSession } from "../../test-support/runs.ts";
import type { Neighbours, Notice } from "./neighbours.ts";
import { type HeardBy, openSessionHub, type SessionHub } from "./session-hub.ts";

async function hub(
  t: TestContext,
  db: TestDatabase,
  pollMs = 60_000,
  neighbours?: Neighbours,
): Promise<SessionHub> {
  const opened = await openSessionHub({ db, log: silentLog, pollMs, ...(neighbours && { neighbours }) });
  t.after(() => opened.close());
  return opened;
}

/** Creates a follower that counts its wakes; `next` resolves at the next one. */
function followerOf(of: SessionHub, sessionId: string) {
  const emitter = new EventEmitter();
  let count = 0;
  const stop = of.subscribe(sessionId, () => {
    count += 1;
    emitter.emit("wake");
  });
  return {
    next: () => once(emitter, "wake", { signal: AbortSignal.timeout(60_000) }),
    count: () => count,
    stop,
  };
}

describe("the session hub", () => {
  test("publish: followers in this process wake at once, those in others by a notification", async (t) => {
    const db = await testDatabase(t);
    const [one, other] = [await hub(t, db), await hub(t, db)];
    const sessionId = newUuid();
    const [here, there, elsewhere] = [
      followerOf(one, sessionId),
      followerOf(other, sessionId),
      followerOf(other, newUuid()),
    ];
    const woken = there.next();
    one.publish(sessionId);
    assert.equal(here.count(), 1);
    await woken;
    assert.equal(here.count(), 1, "a process ignores its own notification");
    assert.equal(elsewhere.count(), 0);
  });

  test("publish: processes of one service tell each other at once, and others by one notification", async (t) => {
    const db = await testDatabase(t);
    const emitter = new EventEmitter<{ notice: [Notice] }>();
    const told: Notice[] = [];
    const neighbours: Neighbours = {
      service: "one",
      tell: (notice) => void told.push(notice),
      listen: (listener) => {
        emitter.on("notice", listener);
        return () => emitter.off("notice", listener);
      },
    };
    const one = await hub(t, db, 60_000, neighbours);
    const [sibling, other] = [await hub(t, db, 60_000, neighbours), await hub(t, db)];
    const sessionId = newUuid();
    const [near, far] = [followerOf(sibling, sessionId), followerOf(other, sessionId)];
    const woken = far.next();
    one.publish(sessionId, true);
    assert.deepEqual(told, [{ sessionId, due: true }]);
    await woken;
    assert.equal(near.count(), 0, "a notification of the own service is ignored");
    const due: string[] = [];
    sibling.onDue((id) => due.push(id));
    emitter.emit("notice", { sessionId, due: true });
    assert.deepEqual([near.count(), due], [1, [sessionId]]);
    const asked: string[] = [];
    sibling.reads.onAsked((id) => asked.push(id));
    one.reads.publish(sessionId, "asked");
    assert.deepEqual(told.at(-1), { sessionId, due: false, read: "asked" });
    emitter.emit("notice", { sessionId, due: false, read: "asked" });
    assert.deepEqual([near.count(), due, asked], [1, [sessionId], [sessionId]]);
  });

  test("publish: due → workers of other processes are woken; not due → they are not", async (t) => {
    const db = await testDatabase(t);
    const [one, other] = [await hub(t, db), await hub(t, db)];
    const [plain, due] = [newUuid(), newUuid()];
    const emitter = new EventEmitter();
    const sessions: string[] = [];
    other.onDue((sessionId) => {
      sessions.push(sessionId);
      emitter.emit("due");
    });
    const woken = once(emitter, "due", { signal: AbortSignal.timeout(60_000) });
    one.publish(plain);
    one.publish(due, true);
    await woken;
    assert.deepEqual(sessions, [due]);
  });

  test("reads: runners hear what is asked, and those that asked of answers, in other processes and services", async (t) => {
    const db = await testDatabase(t);
    const [asker, runner] = [await hub(t, db), await hub(t, db)];
    const sessionId = newUuid();
    const asked = new EventEmitter<{ asked: [string] }>();
    runner.reads.onAsked((id) => {
      asked.emit("asked", id);
      runner.reads.publish(id, "answered");
    });
    const answered = Promise.withResolvers<void>();
    let others = 0;
    asker.reads.onAnswered(sessionId, answered.resolve);
    asker.reads.onAnswered(newUuid(), () => void others++);
    const follower = followerOf(runner, sessionId);
    const due: string[] = [];
    runner.onDue((id) => due.push(id));
    const heard = once(asked, "asked", { signal: AbortSignal.timeout(60_000) });
    asker.reads.publish(sessionId, "asked");
    assert.deepEqual(await heard, [sessionId]);
    await answered.promise;
    assert.deepEqual([others, follower.count(), due], [0, 0, []]);
  });

  test("a process of the API hears of changes alone, a runner of what is due alone", async (t) => {
    const db = await testDatabase(t);
    const open = async (heardBy: HeardBy) => {
      const opened = await openSessionHub({ db, log: silentLog, heardBy });
      t.after(() => opened.close());
      return opened;
    };
    const [api, runner] = [await open("api"), await open("runner")];
    const { rows } = await db.write.query<{ query: string }>({
      text: `select query from pg_stat_activity
        where datname = current_database() and query like 'listen %' order by query`,
    });
    assert.deepEqual(
      rows.map(({ query }) => query),
      ['listen "berth_due"', 'listen "berth_sessions"'],
    );
    const emitter = new EventEmitter<{ told: [string] }>();
    runner.onDue((sessionId) => emitter.emit("told", `due ${sessionId}`));
    runner.reads.onAsked((sessionId) => emitter.emit("told", `asked ${sessionId}`));
    const next = () => once(emitter, "told", { signal: AbortSignal.timeout(60_000) });
    const follower = followerOf(api, newUuid());
    const [sessionId, asked] = [newUuid(), newUuid()];
    let heard = next();
    api.publish(newUuid());
    api.publish(sessionId, true);
    assert.deepEqual(await heard, [`due ${sessionId}`]);
    heard = next();
    api.reads.publish(asked, "asked");
    assert.deepEqual(await heard, [`asked ${asked}`]);
    assert.equal(follower.count(), 0);
  });

  test("publish: thousands of sessions at once → they fit into notifications", async (t) => {
    const db = await testDatabase(t);
    const [one, other] = [await hub(t, db), await hub(t, db)];
    const sessions = Array.from({ length: 1_000 }, () => newUuid());
    const followers = sessions.map((sessionId) => followerOf(other, sessionId));
    const woken = Promise.all(followers.map((follower) => follower.next()));
    for (const sessionId of sessions) one.publish(sessionId, true);
    await woken;
  });

  test("poll: a write without a notification → its followers wake, no others", async (t) => {
    const db = await testDatabase(t);
    const from = await seed(db.write);
    const [changed, quiet] = [await seedSession(db.write, from), await seedSession(db.write, from)];
    const own = await hub(t, db, 50);
    const [follower, other] = [followerOf(own, changed), followerOf(own, quiet)];
    await Promise.all([follower.next(), other.next()]);
    const before = other.count();
    const woken = follower.next();
    await db.write.query({
      text: "update sessions set last_seq = last_seq + 1 where id = $1",
      values: [changed],
    });
    await woken;
    assert.equal(other.count(), before);
  });

  test("the listening connection was lost → all followers wake after the reconnect", async (t) => {
    const db = await testDatabase(t);
    const own = await hub(t, db);
    const follower = followerOf(own, newUuid());
    const woken = follower.next();
    await db.write.query({
      text: `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'listen %'`,
    });
    await woken;
  });

  test("unsubscribe: a former follower is not woken", async (t) => {
    const db = await testDatabase(t);
    const own = await hub(t, db);
    const sessionId = newUuid();
    const follower = followerOf(own, sessionId);
    follower.stop();
    own.publish(sessionId);
    assert.equal(follower.count(), 0);
  });
});
