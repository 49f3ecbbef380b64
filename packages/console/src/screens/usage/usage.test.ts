import assert from "node:assert/strict";
import { test } from "node:test";
import type { UsageGroup } from "@berth/sdk";
import { byDay, formatDay, METRIC_LOOKS, nameOf, TOKEN_KINDS, tokensOf } from "./figures.ts";
import { labelled, secondTicks, ticksFor } from "./scale.ts";
import { daysOf, rangeOf, readUsageSearch } from "./usage-search.ts";

const NOW = Date.parse("2026-11-25T23:30:00Z");

const group = (key: string | null, name: string | null = null): UsageGroup => ({
  key,
  name,
  sessions: 2,
  turns: 5,
  active_seconds: 90,
  usage: {
    input_tokens: 1,
    output_tokens: 20,
    cache_read_input_tokens: 300,
    cache_creation_input_tokens: 4_000,
  },
  cached_input_share: 0.0697,
  list_cost_usd: 1.5,
  unpriced_tokens: 0,
});

test("an address is read, whatever stands in it", () => {
  assert.deepEqual(readUsageSearch({ days: 90, by: "model", show: "tokens", view: "table" }), {
    days: "90",
    by: "model",
    show: "tokens",
    view: "table",
  });
  assert.deepEqual(readUsageSearch({ from: "2026-01-01", to: "2026-01-31", days: "7" }), {
    from: "2026-01-01",
    to: "2026-01-31",
  });
  assert.deepEqual(
    readUsageSearch({ from: "2026-01-01", by: "agent", show: "cost", view: "chart", days: "30" }),
    {},
  );
  assert.deepEqual(readUsageSearch({ from: "2026-99-99", to: "x", by: ["day"], show: 1, days: "1000" }), {});
});

test("the range ends today, in UTC, or is the one that was chosen", () => {
  assert.deepEqual(rangeOf({}, NOW), { from: "2026-10-27", to: "2026-11-25" });
  assert.deepEqual(rangeOf({ days: "7" }, NOW), { from: "2026-11-19", to: "2026-11-25" });
  assert.deepEqual(rangeOf({ from: "2026-01-01", to: "2026-01-02" }, NOW), {
    from: "2026-01-01",
    to: "2026-01-02",
  });
});

test("days follow one another over months and leap years, and there are at most 366", () => {
  assert.deepEqual(daysOf({ from: "2028-02-28", to: "2028-03-01" }), [
    "2028-02-28",
    "2028-02-29",
    "2028-03-01",
  ]);
  assert.deepEqual(daysOf({ from: "2026-01-02", to: "2026-01-01" }), []);
  assert.equal(daysOf({ from: "2020-01-01", to: "2026-01-01" }).length, 366);
});

test("days on which nothing was used are there", () => {
  const filled = byDay(["2026-01-01", "2026-01-02"], [group("2026-01-02")]);
  assert.deepEqual(
    filled.map(({ key, turns }) => [key, turns]),
    [
      ["2026-01-01", 0],
      ["2026-01-02", 5],
    ],
  );
});

test("the kinds of tokens are all of them", () => {
  const sum = TOKEN_KINDS.reduce((before, kind) => before + kind.of(group("a")), 0);
  assert.deepEqual([sum, tokensOf(group("a"))], [4_321, 4_321]);
});

test("metrics are told as what they are", () => {
  const told = Object.values(METRIC_LOOKS).map(({ of, text }) => text(of(group("a"))));
  assert.deepEqual(told, ["$1.50", "4.3K", "2", "5", "1m 30s"]);
  assert.deepEqual([METRIC_LOOKS.cost.tick(1_500), METRIC_LOOKS.active.tick(7_200)], ["$1.5K", "2h"]);
});

test("groups have names", () => {
  assert.deepEqual(
    [
      nameOf(group("2026-11-03"), "day"),
      nameOf(group("agent_1", "Helper"), "agent"),
      nameOf(group("agent_1"), "agent"),
      nameOf(group(null), "user"),
    ],
    ["Nov 3", "Helper", "agent_1", "Erased users"],
  );
  assert.deepEqual(
    [formatDay("2025-12-31", 2026), formatDay("2026-12-31", 2026)],
    ["Dec 31, 2025", "Dec 31"],
  );
});

test("ticks are round, and reach the largest value", () => {
  assert.deepEqual(ticksFor(0), [0, 1]);
  assert.deepEqual(ticksFor(3.7), [0, 1, 2, 3, 4]);
  assert.deepEqual(ticksFor(0.09), [0, 0.025, 0.05, 0.075, 0.1]);
  assert.deepEqual(ticksFor(4_160_579), [0, 2_000_000, 4_000_000, 6_000_000]);
  assert.deepEqual(ticksFor(100), [0, 25, 50, 75, 100]);
});

test("ticks of seconds are minutes, hours and days", () => {
  assert.deepEqual(secondTicks(3_000), [0, 900, 1_800, 2_700, 3_600]);
  assert.deepEqual(secondTicks(10_000), [0, 3_600, 7_200, 10_800]);
  assert.deepEqual(secondTicks(40), [0, 10, 20, 30, 40]);
});

test("the last place has a label, and no more than fit", () => {
  assert.deepEqual(labelled(10, 4), [0, 3, 6, 9]);
  assert.deepEqual(labelled(3, 10), [0, 1, 2]);
  assert.deepEqual(labelled(0, 5), []);
});
