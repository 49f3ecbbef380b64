import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { describe, test } from "node:test";
import { testDatabase } from "@berth/store/test-support/database";
import { readLog } from "@berth/store/test-support/internals/session-log";
import { seed, seedSession } from "@berth/store/test-support/runs";
import {
  count,
  HOUR_MS,
  idleSession,
  prepared,
  RECLAIM,
  rowOf,
  watched,
} from "../../test-support/reclaim.ts";
import { bash, idles, installation, steps } from "../../test-support/worker.ts";
import { claimReclaimable } from "../lease/claim-reclaimable.ts";

describe("reclaim", () => {
  test("outputs cannot be saved → the disk stays, and the reclaim is tried again after the same time", async (t) => {
    const { db, own, from } = await prepared(t);
    const session = await idleSession(own, db, from);
    own.engine.failsToOpen = true;
    const watching = watched(db);
    const worker = await own.worker({ ...RECLAIM, db: watching.db });
    await watching.released;
    assert.ok(session.isMarked());
    assert.equal(count(await readLog(db.read, session.id), "session.container_reclaimed"), 0);
    assert.equal((await rowOf(db, session.id))?.fresh, true);
    own.engine.failsToOpen = false;
    const text = "update sessions set idle_since = now() - interval '2 hours' where id = $1";
    await worker.close();
    await db.write.query({ text, values: [session.id] });
    await own.worker(RECLAIM);
    await own.until(session.id, (log) => count(log, "session.container_reclaimed") === 1);
  });

  test("claimReclaimable: only idle sessions whose disk is here are claimed", async (t) => {
    const db = await testDatabase(t);
    const from = await seed(db.write);
    const old = "home = 'here', idle_since = now() - interval '2 hours'";
    const rows = {
      idle: old,
      fresh: "home = 'here', idle_since = now() - interval '1 hour' + interval '5 minutes'",
      over: "home = 'here', idle_since = now() - interval '1 hour' - interval '1 second'",
      never: "home = 'here', idle_since = null",
      elsewhere: `${old}, home = 'there'`.replace("home = 'here', ", ""),
      none: "idle_since = now() - interval '2 hours'",
      running: `${old}, status = 'running'`,
      rescheduling: `${old}, status = 'rescheduling'`,
      due: `${old}, pending_at = now()`,
      held: `${old}, lease_owner = 'other', lease_until = now() - interval '1 hour'`,
      archived: `${old}, archived_at = now()`,
      terminated: `${old}, terminated_at = now(), status = 'terminated'`,
    };
    const names = new Map<string, string>();
    for (const [name, set] of Object.entries(rows)) {
      const id = await seedSession(db.write, from);
      names.set(id, name);
      await db.write.query({ text: `update sessions set ${set} where id = $1`, values: [id] });
    }
    const options = { db: db.write, owner: "a", leaseMs: 1_000, idleMs: HOUR_MS, place: "here" };
    const claimed = await Promise.all([claimReclaimable(options, 8), claimReclaimable(options, 8)]);
    assert.deepEqual(
      claimed
        .flat()
        .map(({ sessionId }) => names.get(sessionId))
        .sort(),
      ["idle", "over"],
    );
  });

  test("a lost disk → reported once, with reason lost", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const session = await idleSession(own, db, await seed(db.write));
    rmSync(session.disk, { recursive: true });
    await own.worker({ ...RECLAIM, reclaimMs: 24 * HOUR_MS });
    for (const turn of [2, 3]) {
      await own.send(session.id, steps(bash(`echo ${turn} ${session.id}`)));
      const log = await own.until(session.id, (entries) => idles(entries) === turn);
      const told = log.filter(({ event }) => event.type === "session.container_reclaimed");
      assert.deepEqual(
        told.map(({ event }) => event.type === "session.container_reclaimed" && event.reason),
        ["lost"],
      );
    }
  });
});
