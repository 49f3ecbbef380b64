import type { ModelUsage } from "@berth/contract";

/** Input tokens of the requests since the last compaction, as the provider counts them. */
export interface CarriedTokens {
  requests: number;
  /** Input of the first request: what the compaction left, or what the session began with. */
  first: number;
  /** Input of the newest request. */
  newest: number;
  /** Sums over all of the requests. */
  uncached: number;
  read: number;
  written: number;
  /** The part of `written` that was written with a lifetime of an hour. */
  writtenForHour: number;
  /** Whether the newest request wrote with a lifetime of an hour, so that the cache keeps it that long. */
  isHour: boolean;
}

/** Returns the input tokens of one request, whether cached or not. */
export function inputTokens(usage: ModelUsage): number {
  return usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
}

/** Adds a request. Returns `before` unchanged when the provider reports no usage. */
export function withRequest(before: CarriedTokens | null, usage: ModelUsage | null): CarriedTokens | null {
  if (usage === null) return before;
  const { input_tokens, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  const newest = inputTokens(usage);
  const forHour = usage.cache_creation_1h_input_tokens ?? 0;
  if (newest === 0) return before;
  return {
    requests: (before?.requests ?? 0) + 1,
    first: before?.first ?? newest,
    newest,
    uncached: (before?.uncached ?? 0) + input_tokens,
    read: (before?.read ?? 0) + read,
    written: (before?.written ?? 0) + written,
    writtenForHour: (before?.writtenForHour ?? 0) + forHour,
    isHour: forHour > 0,
  };
}
