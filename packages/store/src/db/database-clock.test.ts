import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newUuid, uuidMillisecond } from "@berth/contract";
import fc from "fast-check";
import { type TestDatabase, testDatabase } from "../../test-support/database.ts";
import { DATABASE_MILLISECONDS, databaseNow, noteDatabaseTime } from "./database-clock.ts";

const SKEWS: readonly [string, number][] = [
  ["90 s ahead", 90_000],
  ["90 s behind", -90_000],
  ["a year ahead", 365 * 86_400_000],
];

/** Maximum milliseconds that a reply may have taken on a busy machine. */
const ANSWER_MS = 60_000;

describe("the database's clock", () => {
  for (const [skew, offset] of SKEWS) {
    test(`a process whose clock is ${skew}: its times and ids are of the database's, and not ahead`, async (t) => {
      const start = Date.now();
      t.mock.timers.enable({ apis: ["Date"], now: start + offset });
      const db = await testDatabase(t);
      await db.read.query({ text: "select 1" });
      await checkTimes(db);
      t.mock.timers.setTime(start - offset);
      await checkTimes(db);
    });
  }

  test("of the last answers the fastest counts; a clock that was set back counts after some more", () => {
    const rest = fc.array(fc.nat(ANSWER_MS), { minLength: 6, maxLength: 20 });
    fc.assert(
      fc.property(fc.constantFrom(0, -90_000, -3_600_000, 90_000), rest, (set, delays) => {
        const shown = performance.now() + 1_800_000_000_000 + set;
        for (const delay of delays) noteDatabaseTime(shown - delay);
        const ahead = databaseNow() - (shown - Math.min(...delays.slice(-6)));
        assert.ok(ahead > -2 && ahead < 5_000, `${ahead} ms ahead`);
      }),
    );
  });
});

async function checkTimes(db: TestDatabase): Promise<void> {
  const [time, id] = [databaseNow(), uuidMillisecond(newUuid())];
  const { rows } = await db.write.query<{ now: number }>({ text: `select ${DATABASE_MILLISECONDS} as now` });
  const now = rows[0]?.now ?? 0;
  for (const [what, at] of [
    ["time", time],
    ["id", id],
  ] as const)
    assert.ok(at <= now && at > now - ANSWER_MS, `the ${what} is ${at - now} ms ahead`);
}
