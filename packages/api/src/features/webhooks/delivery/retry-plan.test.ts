import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { retryAfter, TRIES_MS } from "./retry-plan.ts";

test("retries: at 0, 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, however long each try takes", () => {
  const plan = ["0s", "5s", "5m", "30m", "2h", "5h", "10h", "14h", "20h", "24h"];
  const unit = { s: 1, m: 60, h: 3_600 };
  const seconds = plan.map((text) => Number(text.slice(0, -1)) * unit[text.slice(-1) as keyof typeof unit]);
  assert.deepEqual(
    TRIES_MS,
    seconds.map((each) => each * 1_000),
  );
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 15_000 }), { minLength: 10, maxLength: 10 }), (took) => {
      let now = 0;
      for (const [index, ms] of took.entries()) {
        const sofar = took.slice(0, index).reduce((sum, each) => sum + each, 0);
        assert.equal(now, (TRIES_MS[index] ?? Number.NaN) + sofar, "never earlier than planned");
        now += ms;
        const next = retryAfter(index + 1);
        if (index === 9) assert.equal(next, null, "the tenth is the last");
        else {
          assert.ok(next !== null && next > 0);
          now += next;
        }
      }
    }),
  );
  for (const attempts of [11, 12, 100])
    assert.equal(retryAfter(attempts), null, "and so is any after a crash");
});
