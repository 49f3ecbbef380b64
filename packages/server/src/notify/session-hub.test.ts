import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { describe, type TestContext, test } from "node:test";
import { newUuid } from "@berth/contract";
import { silentLog, type TestDatabase, testDatabase } from "../../test-support/database.ts";
import { seed, seedSession } from "../../test-support/runs.ts";
import { openSessionHub, type SessionHub } from "./session-hub.ts";

async function hub(t: TestContext, db: TestDatabase, pollMs = 60_000): Promise<SessionHub> {
  const opened = await openSessionHub({ db, log: silentLog, pollMs });
  t.after(() => opened.close());
  return opened;
}

/** An emitter that tells each wake, and how often there was one. */
function woken(of: SessionHub, sessionId: string) {
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
  test("wakes followers in the process at once, and those of another process by a notice", async (t) => {
    const db = await testDatabase(t);
    const [one, other] = [await hub(t, db), await hub(t, db)];
    const sessionId = newUuid();
    const [here, there, elsewhere] = [
      woken(one, sessionId),
      woken(other, sessionId),
      woken(other, newUuid()),
    ];
    const told = there.next();
    one.publish(sessionId);
    assert.equal(here.count(), 1);
    await told;
    assert.equal(here.count(), 1, "its own notice does not come back to it");
    assert.equal(elsewhere.count(), 0);
  });

  test("tells workers of other processes that a session is due, and only then", async (t) => {
    const db = await testDatabase(t);
    const [one, other] = [await hub(t, db), await hub(t, db)];
    const [plain, due] = [newUuid(), newUuid()];
    const emitter = new EventEmitter();
    const sessions: string[] = [];
    other.onDue((sessionId) => {
      sessions.push(sessionId);
      emitter.emit("due");
    });
    const told = once(emitter, "due", { signal: AbortSignal.timeout(60_000) });
    one.publish(plain);
    one.publish(due, true);
    await told;
    assert.deepEqual(sessions, [due]);
  });

  test("thousands of sessions at once fit into notices", async (t) => {
    const db = await testDatabase(t);
    const [one, other] = [await hub(t, db), await hub(t, db)];
    const sessions = Array.from({ length: 1_000 }, () => newUuid());
    const followers = sessions.map((sessionId) => woken(other, sessionId));
    const told = Promise.all(followers.map((follower) => follower.next()));
    for (const sessionId of sessions) one.publish(sessionId, true);
    await told;
  });

  test("a write without any notice is seen by the poll, and no other session is woken", async (t) => {
    const db = await testDatabase(t);
    const from = await seed(db.write);
    const [changed, quiet] = [await seedSession(db.write, from), await seedSession(db.write, from)];
    const own = await hub(t, db, 50);
    const [follower, other] = [woken(own, changed), woken(own, quiet)];
    await Promise.all([follower.next(), other.next()]);
    const before = other.count();
    const told = follower.next();
    await db.write.query({
      text: "update sessions set last_seq = last_seq + 1 where id = $1",
      values: [changed],
    });
    await told;
    assert.equal(other.count(), before);
  });

  test("a listener that was cut off wakes everybody when it is back", async (t) => {
    const db = await testDatabase(t);
    const own = await hub(t, db);
    const follower = woken(own, newUuid());
    const told = follower.next();
    await db.write.query({
      text: `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'listen %'`,
    });
    await told;
  });

  test("whoever has left is not woken", async (t) => {
    const db = await testDatabase(t);
    const own = await hub(t, db);
    const sessionId = newUuid();
    const follower = woken(own, sessionId);
    follower.stop();
    own.publish(sessionId);
    assert.equal(follower.count(), 0);
  });
});
