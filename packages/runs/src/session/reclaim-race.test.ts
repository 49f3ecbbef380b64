import assert from "node:assert/strict";
import { test } from "node:test";
import { check, count, idleSession, prepared, RECLAIM, watched } from "../../test-support/reclaim.ts";
import { bash, idles, steps } from "../../test-support/worker.ts";

for (const after of [false, true]) {
  const when = after ? "after" : "before";

  test(`reclaim: an event ${when} any of its statements → it gets its turn`, async (t) => {
    const { db, own, from, statements } = await prepared(t);
    t.diagnostic(`${statements} statements`);
    assert.ok(statements >= 8, `only ${statements} statements`);
    let reclaims = 0;
    for (let n = 1; n <= statements; n++) {
      const session = await idleSession(own, db, from);
      const happens = () => own.send(session.id, steps(bash(`echo again ${session.id}`)));
      const worker = await own.worker({ ...RECLAIM, db: watched(db, { n, after, happens }).db });
      const log = await own.until(session.id, (entries) => idles(entries) === 2);
      const label = `${when} statement ${n}`;
      check(log, own, label);
      const reclaimed = count(log, "session.container_reclaimed");
      assert.equal(session.isMarked(), reclaimed === 0, `${label}: the disk and the log disagree`);
      assert.equal(count(log, "session.container_started"), 2, label);
      assert.equal(count(log, "session.error"), 0, label);
      reclaims += reclaimed;
      await worker.close();
    }
    assert.ok(reclaims > 0 && reclaims < statements, `${reclaims} of ${statements} were reclaimed`);
  });
}
