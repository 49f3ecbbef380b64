/** The groupings of a usage report, as the service names them. */
export const GROUPINGS = [
  { value: "day", label: "Day" },
  { value: "agent", label: "Agent" },
  { value: "user", label: "User" },
  { value: "model", label: "Model" },
  { value: "environment", label: "Environment" },
] as const;
export type Grouping = (typeof GROUPINGS)[number]["value"];

export const RANGES = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "A year" },
] as const;
export type RangeDays = (typeof RANGES)[number]["value"];

export const VIEWS = [
  { value: "chart", label: "Charts" },
  { value: "table", label: "Tables" },
  { value: "json", label: "JSON" },
] as const;
export type View = (typeof VIEWS)[number]["value"];

export const METRICS = ["cost", "tokens", "sessions", "turns", "active"] as const;
export type Metric = (typeof METRICS)[number];

/** The search parameters of the usage page. Without a range it shows the last 30 days. */
export type UsageSearch = {
  days?: RangeDays;
  /** The first and last day in UTC; both are set, or neither. */
  from?: string;
  to?: string;
  by?: Grouping;
  show?: Metric;
  view?: View;
};

const DEFAULT_DAYS = "30";

/** Reads search parameters, which may hold anything. */
export function readUsageSearch(search: Record<string, unknown>): UsageSearch {
  const { from, to } = search;
  const days = RANGES.find(({ value }) => value === String(search.days))?.value;
  const by = GROUPINGS.find(({ value }) => value === search.by)?.value;
  const show = METRICS.find((metric) => metric === search.show);
  const view = VIEWS.find(({ value }) => value === search.view)?.value;
  return {
    ...(isDay(from) && isDay(to)
      ? { from, to }
      : days !== undefined && days !== DEFAULT_DAYS
        ? { days }
        : {}),
    ...(by === undefined || by === "agent" ? {} : { by }),
    ...(show === undefined || show === "cost" ? {} : { show }),
    ...(view === undefined || view === "chart" ? {} : { view }),
  };
}

const DAY_MS = 86_400_000;

/** Returns the first and the last day of the page, in UTC. */
export function rangeOf({ days, from, to }: UsageSearch, now: number): { from: string; to: string } {
  if (from !== undefined && to !== undefined) return { from, to };
  const last = dayOf(now);
  return { from: dayOf(now - (Number(days ?? DEFAULT_DAYS) - 1) * DAY_MS), to: last };
}

/** Returns every day from the first to the last, at most 366; none if they are in the wrong order. */
export function daysOf({ from, to }: { from: string; to: string }): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  const length = Math.max(0, Math.min(count, 366));
  return Array.from({ length }, (_, index) => dayOf(Date.parse(from) + index * DAY_MS));
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function isDay(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));
}
