import type { Limits, Retention } from "@berth/sdk";
import { formatPlural } from "../../format/numbers.ts";

export type RetainedName = Retention["data"][number]["name"];
type LimitName = Limits["data"][number]["name"];

export const RETENTION_WORDS: Readonly<Record<RetainedName, { label: string; since: string }>> = {
  sessions: { label: "Sessions", since: "Since their last activity" },
  events: { label: "Events", since: "Since their session was archived or terminated" },
  files: { label: "Files", since: "Since they were created, if no session uses them" },
};

export const LIMIT_WORDS: Readonly<Record<LimitName, string>> = {
  open_sessions: "Open sessions (not archived or terminated)",
  running_turns: "Running turns",
  sandbox_seconds_per_day: "Sandbox time today",
  disk_bytes: "Session disks",
  spend_cents: "Spending in all",
  spend_cents_per_day: "Spending today",
  file_bytes: "Files",
  requests_per_second: "Requests per second",
  request_burst: "Request burst",
};

/** Returns the limits in the order of the page. */
export function limitsShown({ data }: Limits): Limits["data"] {
  const order = Object.keys(LIMIT_WORDS);
  return data.toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
}

/** What the fields hold: days, or nothing for data that is kept. */
export type TypedDays = Record<RetainedName, string>;

export function daysTyped({ data }: Retention): TypedDays {
  return Object.fromEntries(
    data.map(({ name, days }) => [name, days === null ? "" : String(days)]),
  ) as TypedDays;
}

/** Returns the changed days, for a request. An emptied field keeps data, whatever the settings say. */
export function retentionBody(
  { data }: Retention,
  typed: TypedDays,
): Partial<Record<RetainedName, number | "none">> {
  const changed = data.filter(({ name, days }) => typed[name].trim() !== (days === null ? "" : String(days)));
  return Object.fromEntries(
    changed.map(({ name }) => [name, typed[name].trim() === "" ? "none" : Number(typed[name])]),
  );
}

/** Returns what is deleted because it is kept for less time than before, in words. */
export function shortened({ data }: Retention, typed: TypedDays): string[] {
  return data.flatMap(({ name, days }) => {
    const next = typed[name].trim();
    if (next === "" || (days !== null && Number(next) >= days)) return [];
    return [DELETED[name](formatPlural(Number(next), "day"))];
  });
}

const DELETED: Readonly<Record<RetainedName, (days: string) => string>> = {
  sessions: (days) => `sessions without activity for ${days}, with their events and disks`,
  events: (days) => `the events of sessions that were archived or terminated ${days} ago`,
  files: (days) => `files that are ${days} old and that no active session uses`,
};
