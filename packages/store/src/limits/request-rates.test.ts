import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RequestRates } from "./request-rates.ts";

const rate = fc.record({
  id: fc.constant("a"),
  perSecond: fc.integer({ min: 1, max: 50 }),
  burst: fc.integer({ min: 1, max: 20 }),
});
/** Milliseconds between two requests. */
const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 120 });

test("property: in no time are more requests taken than the burst and the rate allow", () => {
  fc.assert(
    fc.property(rate, gaps, (one, waits) => {
      let now = 0;
      const rates = new RequestRates(() => now);
      const taken: number[] = [];
      for (const wait of waits) {
        now += wait;
        if (rates.take([one]) === null) taken.push(now);
      }
      for (const [first, from] of taken.entries())
        for (const [last, to] of taken.entries()) {
          if (last < first) continue;
          const allowed = one.burst + ((to - from) / 1_000) * one.perSecond;
          assert.ok(last - first + 1 <= allowed + 1e-6, `${last - first + 1} in ${to - from} ms`);
        }
    }),
  );
});

test("property: a request that waits as long as it was told is taken, and not much sooner", () => {
  fc.assert(
    fc.property(rate, gaps, (one, waits) => {
      let now = 0;
      const rates = new RequestRates(() => now);
      for (const wait of waits) {
        now += wait;
        const over = rates.take([one]);
        if (over === null) continue;
        now += over.waitMs - 0.01;
        assert.notEqual(rates.take([one]), null, "not sooner");
        now += 0.02;
        assert.equal(rates.take([one]), null);
      }
    }),
  );
});

test("of two rates: a request that one refuses costs the other nothing", () => {
  let now = 0;
  const rates = new RequestRates(() => now);
  const organization = { id: "o", perSecond: 1, burst: 3 };
  const [ada, bob] = ["ada", "bob"].map((id) => ({ id, perSecond: 1, burst: 1 }));
  assert.ok(ada && bob);
  assert.equal(rates.take([organization, ada]), null);
  for (let more = 0; more < 10; more += 1) assert.equal(rates.take([organization, ada])?.rate, ada);
  assert.equal(rates.take([organization, bob]), null);
  assert.equal(rates.take([organization]), null);
  assert.equal(rates.take([organization])?.rate, organization);
  now += 1_000;
  assert.equal(rates.take([organization, bob]), null);
  assert.equal(rates.take([{ id: "z", perSecond: 0, burst: 0 }])?.waitMs, Infinity);
});
