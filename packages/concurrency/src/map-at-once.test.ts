import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as settled } from "node:timers/promises";
import fc from "fast-check";
import { mapAtOnce } from "./map-at-once.ts";

test("property: each item once, no more than allowed at a time, and results in the order of the items", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 20 }),
      async (atOnce, ticks) => {
        let [running, most] = [0, 0];
        const items = ticks.map((count, index) => ({ count, index }));
        const results = await mapAtOnce(atOnce, items, async ({ count, index }) => {
          most = Math.max(most, ++running);
          for (let tick = 0; tick < count; tick++) await settled();
          running -= 1;
          return index;
        });
        assert.deepEqual(results, [...items.keys()]);
        assert.equal(most, Math.min(atOnce, items.length));
      },
    ),
  );
});

test("one fails → no other is started, and it rejects once those that run have ended", async () => {
  const [started, ended]: [string[], string[]] = [[], []];
  const gate = Promise.withResolvers<void>();
  const mapped = mapAtOnce(2, ["slow", "fails", "never"], async (name) => {
    started.push(name);
    if (name === "slow") await gate.promise;
    if (name === "fails") throw new Error("no");
    ended.push(name);
  });
  const outcome = mapped.then(
    () => "resolved",
    () => "rejected",
  );
  await settled();
  assert.equal(await Promise.race([outcome, settled("running")]), "running");
  gate.resolve();
  await assert.rejects(mapped, /no/);
  assert.deepEqual([started, ended], [["slow", "fails"], ["slow"]]);
});
