import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseUnavailableError } from "@berth/store/db";
import { notTodays } from "../../../../tests/effort/effort.ts";
import { closeDead, DYING_LEASE_MS } from "../../test-support/dying-database.ts";
import { check, count, idleSession, mortal, prepared, RECLAIM, watched } from "../../test-support/reclaim.ts";
import { bash, idles, steps } from "../../test-support/worker.ts";

for (const after of [false, true]) {
  const when = after ? "after" : "before";

  test(`reclaim: a process dies ${when} any of its statements → the next worker completes it`, async (t) => {
    const { db, own, from, statements } = await prepared(t);
    for (let n = 1; n <= statements; n++) {
      if (notTodays("crash", n, 3) !== false) continue;
      const session = await idleSession(own, db, from);
      const dead = Promise.withResolvers<void>();
      const die = async () => {
        dead.resolve();
        throw new DatabaseUnavailableError("The process is dead.");
      };
      const dying = mortal(db, { n, after, happens: die });
      const first = await own.worker({ ...RECLAIM, leaseMs: DYING_LEASE_MS, db: dying });
      await dead.promise;
      await closeDead(db, first);
      const heir = watched(db);
      const second = await own.worker({ ...RECLAIM, db: heir.db });
      await own.until(session.id, (entries) => count(entries, "session.container_reclaimed") === 1);
      const label = `death ${when} statement ${n}`;
      await own.send(session.id, steps(bash(`echo again ${session.id}`)));
      const log = await own.until(session.id, (entries) => idles(entries) === 2);
      check(log, own, label);
      assert.equal(session.isMarked(), false, label);
      await second.close();
    }
  });
}
