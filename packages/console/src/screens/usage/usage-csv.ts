import type { UsageFigures, UsageGroup, UsageReport } from "@berth/sdk";
import { formatCsv } from "../../format/csv.ts";
import { byDay } from "./figures.ts";
import { daysOf } from "./usage-search.ts";

const FIGURES: readonly (readonly [string, (figures: UsageFigures) => number | string])[] = [
  ["list_cost_usd", ({ list_cost_usd }) => list_cost_usd],
  ["sessions", ({ sessions }) => sessions],
  ["turns", ({ turns }) => turns],
  ["active_seconds", ({ active_seconds }) => active_seconds],
  ["input_tokens", ({ usage }) => usage.input_tokens],
  ["cache_read_input_tokens", ({ usage }) => usage.cache_read_input_tokens],
  ["cache_creation_input_tokens", ({ usage }) => usage.cache_creation_input_tokens],
  ["output_tokens", ({ usage }) => usage.output_tokens],
  ["unpriced_tokens", ({ unpriced_tokens }) => unpriced_tokens],
  ["cached_input_share", ({ cached_input_share }) => cached_input_share ?? ""],
];

/** Returns a report as CSV: field names and figures as in the API, every day even without usage, no total. */
export function usageCsv(report: UsageReport): string {
  const { group_by: by, data } = report;
  if (by === "day") return csvOf(["day"], byDay(daysOf(report), data), ({ key }) => [key ?? ""]);
  return csvOf([`${by}_id`, "name"], data, ({ key, name }) => [key ?? "", name ?? ""]);
}

function csvOf(
  headings: readonly string[],
  groups: readonly UsageGroup[],
  namesOf: (group: UsageGroup) => string[],
): string {
  return formatCsv([
    [...headings, ...FIGURES.map(([name]) => name)],
    ...groups.map((group) => [...namesOf(group), ...FIGURES.map(([, of]) => of(group))]),
  ]);
}
