import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { check, count, RECLAIM } from "../../test-support/reclaim.ts";
import { bash, idles, installation, steps } from "../../test-support/worker.ts";

const TRIALS = 200;
const RECLAIMING_MS = 1_500;

test(`reclaim: ${TRIALS} events around the moment of it → each gets its turn`, async (t) => {
  const db = await testDatabase(t);
  const own = await installation(t, db);
  const from = await seed(db.write);
  const ids = await Promise.all(Array.from({ length: TRIALS }, () => seedSession(db.write, from)));
  const first = await own.worker({ ...RECLAIM, reclaimMs: 24 * 3_600_000 });
  for (const id of ids) await own.send(id, steps(bash(`echo ${id}`)));
  for (const id of ids) await own.until(id, (entries) => idles(entries) === 1);
  await first.close();
  const text = "update sessions set idle_since = now() - interval '2 hours' where id = any($1::uuid[])";
  await db.write.query({ text, values: [ids] });

  await own.worker(RECLAIM);
  await Promise.all(
    ids.map(async (id) => {
      // Reclaims continue all this while, so that messages come before, after and during them.
      await delay(Math.random() * RECLAIMING_MS);
      await own.send(id, steps(bash(`echo again ${id}`)));
    }),
  );
  let reclaimed = 0;
  for (const id of ids) {
    const log = await own.until(id, (entries) => idles(entries) === 2);
    check(log, own, id);
    assert.equal(count(log, "session.error"), 0);
    reclaimed += count(log, "session.container_reclaimed");
  }
  t.diagnostic(`${reclaimed} of ${TRIALS} were reclaimed before their event`);
});
