import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ownRates } from "./request-rates.ts";
import { splitRates } from "./split-rates.ts";

/** Requests of one owner: the milliseconds since the previous one, and the service. */
const requests = fc.array(fc.record({ afterMs: fc.nat(400), at: fc.nat(3) }), { maxLength: 200 });
const scenario = fc.record({
  requests,
  services: fc.integer({ min: 1, max: 4 }),
  perSecond: fc.integer({ min: 1, max: 20 }),
  burst: fc.integer({ min: 4, max: 40 }),
});

test("requests at any of the services: all together let through no more than the rate", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ requests, services, perSecond, burst }) => {
      let now = 0;
      const all = Array.from({ length: services }, () =>
        splitRates(
          ownRates(() => now),
          () => services,
        ),
      );
      const rate = { id: "acme", perSecond, burst };
      let passed = 0;
      for (const { afterMs, at } of requests) {
        now += afterMs;
        const over = await all[at % services]?.owners.take([rate]);
        if (over === null) passed += 1;
        else assert.deepEqual([over?.rate, (over?.waitMs ?? 0) > 0], [rate, true]);
      }
      assert.ok(passed <= burst + (now / 1_000) * perSecond, `${passed} passed in ${now} ms`);
    }),
  );
});

test("one service lets through the whole rate, and whoever is exempt is counted nowhere", async () => {
  const { owners } = splitRates(
    ownRates(() => 0),
    () => 1,
  );
  const rate = { id: "acme", perSecond: 1, burst: 3 };
  for (let request = 0; request < 3; request++) assert.equal(await owners.take([rate]), null);
  assert.equal((await owners.take([rate]))?.rate, rate);
  await owners.exempt("known");
  assert.equal(await owners.take([rate], "known"), null);
});
