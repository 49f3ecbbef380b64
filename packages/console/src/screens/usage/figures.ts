import type { UsageFigures, UsageGroup } from "@berth/sdk";
import { inputTokens } from "../../format/cost.ts";
import { formatCount, formatDollars, formatShort } from "../../format/numbers.ts";
import { formatSeconds } from "../../format/time.ts";
import type { Grouping, Metric } from "./usage-search.ts";

type Kind = {
  label: string;
  /** The class of its colour in a chart. */
  fill: string;
  of: (figures: UsageFigures) => number;
};

/** The kinds of tokens, from the bottom of a bar up. */
export const TOKEN_KINDS: readonly Kind[] = [
  { label: "Read from the cache", fill: "fill-chart-1", of: ({ usage }) => usage.cache_read_input_tokens },
  {
    label: "Written to the cache",
    fill: "fill-chart-2",
    of: ({ usage }) => usage.cache_creation_input_tokens,
  },
  { label: "Other input", fill: "fill-chart-3", of: ({ usage }) => usage.input_tokens },
  { label: "Output", fill: "fill-chart-4", of: ({ usage }) => usage.output_tokens },
];

type MetricLook = {
  label: string;
  about: string;
  of: (figures: UsageFigures) => number;
  /** Formats a value for text. */
  text: (value: number) => string;
  /** Formats a value briefly, for an axis. */
  tick: (value: number) => string;
};

export const METRIC_LOOKS: Readonly<Record<Metric, MetricLook>> = {
  cost: {
    label: "Cost",
    about: "by list price",
    of: ({ list_cost_usd }) => list_cost_usd,
    text: formatDollars,
    tick: (value) => `$${formatShort(value)}`,
  },
  tokens: {
    label: "Tokens",
    about: "of all kinds",
    of: tokensOf,
    text: formatShort,
    tick: formatShort,
  },
  sessions: {
    label: "Sessions",
    about: "with usage",
    of: ({ sessions }) => sessions,
    text: formatCount,
    tick: formatShort,
  },
  turns: {
    label: "Turns",
    about: "that ended",
    of: ({ turns }) => turns,
    text: formatCount,
    tick: formatShort,
  },
  active: {
    label: "Active",
    about: "time in turns",
    of: ({ active_seconds }) => active_seconds,
    text: formatSeconds,
    tick: formatSeconds,
  },
};

/** Returns all input and output tokens, cached ones included. */
export function tokensOf({ usage }: UsageFigures): number {
  return inputTokens(usage) + usage.output_tokens;
}

/** Returns the name of a group. */
export function nameOf({ key, name }: UsageGroup, by: Grouping): string {
  if (key === null) return "Erased users";
  if (by === "day") return formatDay(key);
  return name ?? key;
}

/** Formats a UTC day as `Nov 3`, with the year if it differs from `year`. */
export function formatDay(day: string, year?: number): string {
  const other = year !== undefined && !day.startsWith(String(year));
  return new Date(`${day}T00:00:00Z`).toLocaleDateString("en-US", {
    timeZone: "UTC",
    month: "short",
    day: "numeric",
    ...(other ? { year: "numeric" } : {}),
  });
}

/** Returns the figures of every day, with zeros for days without usage. */
export function byDay(days: readonly string[], groups: readonly UsageGroup[]): UsageGroup[] {
  const found = new Map(groups.map((group) => [group.key, group]));
  return days.map((day) => found.get(day) ?? { ...NOTHING, key: day, name: null });
}

const NOTHING: UsageFigures = {
  sessions: 0,
  turns: 0,
  active_seconds: 0,
  usage: { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  cached_input_share: null,
  list_cost_usd: 0,
  unpriced_tokens: 0,
};
