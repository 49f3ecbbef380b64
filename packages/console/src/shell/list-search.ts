/** The filters that every list of objects has, as the address has them. */
export type ListSearch = {
  /** Of names and ids. */
  q?: string;
  /** How far back an object was created. */
  since?: Since;
  archived?: true;
};

export type Since = (typeof SINCE_CHOICES)[number]["value"];

/** How often a list is read again while it is looked at. In milliseconds. */
export const LIVE_MS = 10_000;

const DAY_MS = 86_400_000;
const SINCE_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const;

export const SINCE_CHOICES = [
  { value: "day", label: "Last day" },
  { value: "week", label: "Last week" },
  { value: "month", label: "Last month" },
] as const;

/** Reads an address, in which anything may stand. */
export function readListSearch(search: Record<string, unknown>): ListSearch {
  const { q } = search;
  const since = readSince(search.since);
  return {
    ...(typeof q === "string" && q !== "" ? { q } : {}),
    // A number in an address is read as one.
    ...(typeof q === "number" ? { q: String(q) } : {}),
    ...(since === undefined ? {} : { since }),
    ...(search.archived === true ? { archived: true as const } : {}),
  };
}

/** The chosen one of `SINCE_CHOICES`. */
export function readSince(value: unknown): Since | undefined {
  return SINCE_CHOICES.find((choice) => choice.value === value)?.value;
}

/** The time from which on objects are listed, to the minute, so that the same list is asked for. */
export function timeOf(since: Since | undefined, now: number): string | undefined {
  return since && new Date(Math.floor((now - SINCE_MS[since]) / 60_000) * 60_000).toISOString();
}

/** What the service filters itself. */
export function listQueryOf({ since, archived }: ListSearch, now: number) {
  const from = timeOf(since, now);
  return {
    ...(from === undefined ? {} : { "created_at[gte]": from }),
    ...(archived ? { include_archived: true } : {}),
  };
}

/** Whether an object has the text in one of its words. */
export function hasText(words: readonly (string | null)[], { q }: ListSearch): boolean {
  return q === undefined || words.join(" ").toLowerCase().includes(q.toLowerCase());
}
