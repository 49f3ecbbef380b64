import assert from "node:assert/strict";
import { test } from "node:test";
import type { Berth, UsageReport } from "@berth/sdk";
import { sharedInstallation } from "../../../test-support/installation.ts";
import { forecast, forecastLines } from "./forecast.ts";

const NONE = { sessions: 1, turns: 1, active_seconds: 1, cached_input_share: null, unpriced_tokens: 0 };
const TOKENS = {
  ...{ input_tokens: 1, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
};

/** Returns a client whose usage costs so many dollars a day, by model. */
function clientOf(today: string, costs: Record<string, Record<string, number>>): Pick<Berth, "usage"> {
  const get = async ({ from = "2020-01-01", to = today, group_by = "day" }) => {
    const used = Object.entries(costs).filter(([day]) => day >= from && day <= to);
    const sums = new Map<string, number>();
    for (const [day, models] of used)
      for (const [model, cost] of Object.entries(models)) {
        const key = group_by === "day" ? day : model;
        sums.set(key, (sums.get(key) ?? 0) + cost);
      }
    const figures = (list_cost_usd: number) => ({ ...NONE, usage: TOKENS, list_cost_usd });
    const total = figures([...sums.values()].reduce((sum, cost) => sum + cost, 0));
    const data = [...sums].sort().map(([key, cost]) => ({ key, name: null, ...figures(cost) }));
    return { type: "usage", from, to, group_by, total, data, has_more: false } as UsageReport;
  };
  return { usage: { get } } as unknown as Pick<Berth, "usage">;
}

test("the month so far, and the mean of the last seven days for each day that is left", async () => {
  const costs = {
    "2026-10-31": { "a/b": 50 },
    "2026-11-02": { "a/b": 10 },
    "2026-11-18": { "a/b": 7, "c/d": 14 },
    "2026-11-24": { "a/b": 7 },
    "2026-11-25": { "a/b": 3 },
  };
  const made = await forecast(clientOf("2026-11-25", costs));
  assert.deepEqual(made.total, { so_far_usd: 41, per_day_usd: 4, forecast_usd: 61 });
  assert.deepEqual(
    made.data.map(({ model, per_day_usd, forecast_usd }) => [model, per_day_usd, forecast_usd]),
    [
      ["a/b", 2, 37],
      ["c/d", 2, 24],
    ],
  );
  assert.deepEqual(forecastLines(made), [
    "MODEL  SO FAR  PER DAY  BY 2026-11-30",
    "a/b    $27.00    $2.00         $37.00",
    "c/d    $14.00    $2.00         $24.00",
    "total  $41.00    $4.00         $61.00",
    "The month from 2026-11-01 as it is now, and for each day after today the mean from 2026-11-18 to 2026-11-24, by today's list prices.",
  ]);
});

test("with two days of usage their mean is the rate; with none before today, today is", async () => {
  const young = await forecast(clientOf("2026-02-27", { "2026-02-25": { m: 4 }, "2026-02-26": { m: 2 } }));
  assert.deepEqual(
    [young.rate_from, young.total.per_day_usd, young.total.forecast_usd],
    ["2026-02-25", 3, 9],
  );
  const fresh = await forecast(clientOf("2026-02-26", { "2026-02-26": { m: 2 } }));
  assert.deepEqual([fresh.rate_from, fresh.total.per_day_usd, fresh.total.forecast_usd], [null, 2, 6]);
});

test("usage --forecast: a forecast of the service's own month; not with days of a report", async (t) => {
  const { json, run, stop } = await sharedInstallation();
  t.after(stop);
  const { type, from, to, today } = await json("usage", "--forecast");
  assert.equal(type, "usage_forecast");
  assert.ok(from <= today && today <= to, `${from} ${today} ${to}`);
  const refused = await run(["usage", "--forecast", "--from", "2026-01-01"]);
  assert.equal(refused.code, 2);
});
