import type { Berth, UsageFigures, UsageReport } from "@berth/sdk";
import { paletteFor, widthLimitOf } from "../../terminal/palette.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { count, dollars } from "../../terminal/quantities.ts";
import { fittedTable } from "../../terminal/table.ts";

/** Maximum days whose mean is the present rate. */
const RATE_DAYS = 7;
const DAY_MS = 86_400_000;

/** What a model costs, in US dollars by today's list prices. */
interface ModelForecast {
  model: string;
  so_far_usd: number;
  per_day_usd: number;
  forecast_usd: number;
}

export interface Forecast {
  type: "usage_forecast";
  /** First and last day of the month, and today, in UTC. */
  from: string;
  to: string;
  today: string;
  /** The days before today whose mean cost is the rate; null when nothing was used before today, whose cost is the rate then. */
  rate_from: string | null;
  data: ModelForecast[];
  total: Omit<ModelForecast, "model">;
  /** Tokens of the month and of the days of the rate, of models whose price is not known: they are not in it. */
  unpriced_tokens: number;
}

/**
 * Predicts the cost of this month: what it has cost so far, and for each day after today the mean of the last
 * days that are over, up to seven, from the first on that has usage.
 */
export async function forecast(client: Pick<Berth, "usage">): Promise<Forecast> {
  const { to: today } = await client.usage.get({ group_by: "day" });
  const from = `${today.slice(0, 7)}-01`;
  const to = lastOfMonth(today);
  const before = { from: shifted(today, -RATE_DAYS), to: shifted(today, -1) };
  const [month, last, days] = await Promise.all([
    client.usage.get({ from, to: today, group_by: "model" }),
    client.usage.get({ ...before, group_by: "model" }),
    client.usage.get({ ...before, group_by: "day" }),
  ]);
  const rateFrom = days.data[0]?.key ?? null;
  const isNew = rateFrom === null;
  const rate = isNew ? await client.usage.get({ from: today, to: today, group_by: "model" }) : last;
  const rateDays = isNew ? 1 : daysBetween(rateFrom, today);
  const left = daysBetween(today, to);
  const costs = (soFar: UsageFigures | undefined, recent: UsageFigures | undefined) => {
    const so_far_usd = soFar?.list_cost_usd ?? 0;
    const per_day_usd = (recent?.list_cost_usd ?? 0) / rateDays;
    return { so_far_usd, per_day_usd, forecast_usd: so_far_usd + left * per_day_usd };
  };
  const models = new Set([...month.data, ...rate.data].map(({ key }) => key ?? ""));
  const data = [...models].map((model) => ({ model, ...costs(groupOf(month, model), groupOf(rate, model)) }));
  return {
    type: "usage_forecast",
    ...{ from, to, today, rate_from: rateFrom },
    data: data.sort((one, other) => other.forecast_usd - one.forecast_usd),
    total: costs(month.total, rate.total),
    unpriced_tokens: Math.max(month.total.unpriced_tokens, rate.total.unpriced_tokens),
  };
}

/** Formats a forecast as a table, and how it was made. */
export function forecastLines(made: Forecast): string[] {
  const { from, to, today, rate_from, data, total, unpriced_tokens } = made;
  const figures = ({ so_far_usd, per_day_usd, forecast_usd }: Forecast["total"]) =>
    [so_far_usd, per_day_usd, forecast_usd].map(dollars);
  const rows = [
    ["MODEL", "SO FAR", "PER DAY", `BY ${to}`],
    ...data.map((one) => [plainLine(one.model), ...figures(one)]),
    ["total", ...figures(total)],
  ];
  const widths = [1, 2, 3].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const [head = [], ...lines] = rows.map(([name = "", ...cells]) => [
    name,
    ...cells.map((cell, at) => cell.padStart(widths[at] ?? 0)),
  ]);
  const { dim } = paletteFor(process.stdout);
  const rate =
    rate_from === null
      ? `today's cost, since nothing was used in the ${RATE_DAYS} days before`
      : `the mean from ${rate_from} to ${shifted(today, -1)}`;
  return [
    ...fittedTable(head, lines, { shrinks: [0], columns: widthLimitOf(process.stdout), styleHead: dim }),
    `The month from ${from} as it is now, and for each day after today ${rate}, by today's list prices.`,
    ...(unpriced_tokens === 0
      ? []
      : [`Without ${count(unpriced_tokens)} tokens of models whose price is unknown.`]),
  ];
}

function groupOf(report: UsageReport, model: string): UsageFigures | undefined {
  return report.data.find(({ key }) => key === model);
}

function shifted(day: string, by: number): string {
  return new Date(Date.parse(day) + by * DAY_MS).toISOString().slice(0, 10);
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

function lastOfMonth(day: string): string {
  const [year = 0, month = 0] = day.split("-").map(Number);
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
}
