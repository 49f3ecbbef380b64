import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  affordableOutput,
  type ListPrice,
  listCost,
  listCostInDollars,
  type PriceTier,
  totalListCost,
  worstCost,
} from "./list-price.ts";

const amount = fc.nat(100_000_000_000);
const tierAt = (above: number) =>
  fc.record({
    above: fc.constant(above),
    input: amount,
    output: amount,
    cacheRead: amount,
    cacheWrite: amount,
    cacheWriteHour: amount,
  });
const price = fc
  .uniqueArray(fc.integer({ min: 1, max: 300_000 }), { maxLength: 3 })
  .chain((starts) => fc.tuple(...[0, ...starts.sort((one, other) => one - other)].map(tierAt)))
  .map((tiers): ListPrice => ({ date: "2026-01-31", tiers: tiers as [PriceTier, ...PriceTier[]] }));
const usage = fc
  .record({
    input_tokens: fc.nat(400_000),
    output_tokens: fc.nat(200_000),
    cache_read_input_tokens: fc.nat(400_000),
    cache_creation_input_tokens: fc.nat(400_000),
    share: fc.nat(100),
  })
  .map(({ share, ...tokens }) => ({
    ...tokens,
    cache_creation_1h_input_tokens: Math.floor((tokens.cache_creation_input_tokens * share) / 100),
  }));
type Usage = typeof usage extends fc.Arbitrary<infer Value> ? Value : never;

const inputOf = (used: Usage) =>
  used.input_tokens + used.cache_read_input_tokens + used.cache_creation_input_tokens;

test("property: no request costs more than its worst case", () => {
  fc.assert(
    fc.property(price, usage, fc.nat(100_000), fc.nat(100_000), (of, used, moreInput, moreOutput) => {
      const worst = worstCost(of, inputOf(used) + moreInput, used.output_tokens + moreOutput);
      assert.ok(listCost(of, used) <= worst);
    }),
  );
});

test("property: the output that an amount allows costs at most that amount, and one token more costs more", () => {
  fc.assert(
    fc.property(price, fc.nat(500_000), amount, fc.nat(500_000), (of, input, nano, max) => {
      const output = affordableOutput(of, input, nano, max);
      assert.ok(output <= max);
      if (output >= 0) assert.ok(worstCost(of, input, output) <= nano);
      if (output < max) assert.ok(worstCost(of, input, output + 1) > nano);
    }),
  );
});

test("property: the cost is the exact sum, rounded up to a nanodollar", () => {
  fc.assert(
    fc.property(price, usage, ({ tiers: [only] }, used) => {
      const hour = used.cache_creation_1h_input_tokens;
      const exact =
        BigInt(used.input_tokens) * BigInt(only.input) +
        BigInt(used.output_tokens) * BigInt(only.output) +
        BigInt(used.cache_read_input_tokens) * BigInt(only.cacheRead) +
        BigInt(used.cache_creation_input_tokens - hour) * BigInt(only.cacheWrite) +
        BigInt(hour) * BigInt(only.cacheWriteHour);
      const flat = { date: "2026-01-31", tiers: [only] } as const;
      const nano = BigInt(listCost(flat, used));
      assert.ok(nano * 1_000n >= exact && (nano - 1n) * 1_000n < exact);
      assert.equal(totalListCost(flat, used), listCostInDollars(flat, used));
    }),
  );
});

test("a tier applies to all tokens of a request with more input than its bound", () => {
  const tier = { output: 1, cacheRead: 1, cacheWrite: 1, cacheWriteHour: 1 };
  const tiers = [
    { ...tier, above: 0, input: 3_000_000 },
    { ...tier, above: 200_000, input: 6_000_000 },
  ] as const;
  const cost = (input_tokens: number) =>
    listCost(
      { date: "2026-01-31", tiers },
      { input_tokens, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    );
  assert.deepEqual([cost(200_000), cost(200_001)], [600_000_000, 1_200_006_000]);
});
