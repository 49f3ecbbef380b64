/** The filters that every list of objects has, as search parameters. */
export type ListSearch = {
  /** A part of a name or id. */
  q?: string;
  /** The age of the object, at most. */
  since?: Since;
  archived?: true;
  /** What others share with the user, alone. */
  shared?: true;
};

export type Since = (typeof SINCE_CHOICES)[number]["value"];

/** Milliseconds between reads of a visible list. */
export const LIVE_MS = 10_000;

const DAY_MS = 86_400_000;
const SINCE_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const;

export const SINCE_CHOICES = [
  { value: "day", label: "Last day" },
  { value: "week", label: "Last week" },
  { value: "month", label: "Last month" },
] as const;

/** Reads search parameters, which may hold anything. */
export function readListSearch(search: Record<string, unknown>): ListSearch {
  const { q } = search;
  const since = readSince(search.since);
  return {
    ...(typeof q === "string" && q !== "" ? { q } : {}),
    // The router parses a numeric parameter as a number.
    ...(typeof q === "number" ? { q: String(q) } : {}),
    ...(since === undefined ? {} : { since }),
    ...(search.archived === true ? { archived: true as const } : {}),
    ...(search.shared === true ? { shared: true as const } : {}),
  };
}

/** Returns the value if it is one of `SINCE_CHOICES`. */
export function readSince(value: unknown): Since | undefined {
  return SINCE_CHOICES.find((choice) => choice.value === value)?.value;
}

/**
 * Returns the time from which objects are listed. It is rounded to the minute, so that the query key stays
 * the same meanwhile.
 */
export function timeOf(since: Since | undefined, now: number): string | undefined {
  return since && new Date(Math.floor((now - SINCE_MS[since]) / 60_000) * 60_000).toISOString();
}

/** Returns the filters that the service applies. */
export function listQueryOf({ since, archived, shared }: ListSearch, now: number) {
  const from = timeOf(since, now);
  return {
    ...(from === undefined ? {} : { "created_at[gte]": from }),
    ...(archived ? { include_archived: true } : {}),
    ...(shared ? { shared_with_me: true } : {}),
  };
}

/** Whether one of the object's texts contains the search text. */
export function hasText(words: readonly (string | null)[], { q }: ListSearch): boolean {
  return q === undefined || words.join(" ").toLowerCase().includes(q.toLowerCase());
}
