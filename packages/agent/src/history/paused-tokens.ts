import type { ModelUsage } from "@berth/contract";
import { CACHE_TTL_MS } from "../models/cache-ttl.ts";
import { inputTokens } from "./carried-tokens.ts";

/** What speaks for a cache of an hour and against it in a session so far, in tokens as the provider counts them. */
export interface PausedTokens {
  /** Sent for the first time: each costs more to write for an hour. */
  fresh: number;
  /** Sent again after pauses that a cache of an hour outlasts and one of five minutes does not, within turns and between them. */
  outlasted: number;
  /** When the newest request began, in milliseconds since 1970, and its input; null: nothing was sent since the last compaction. */
  newest: { at: number; tokens: number } | null;
}

export const NO_PAUSES: PausedTokens = { fresh: 0, outlasted: 0, newest: null };

/** With one more request. Unchanged where the provider reports no usage. */
export function withPause(before: PausedTokens, at: number, usage: ModelUsage | null): PausedTokens {
  const tokens = usage === null ? 0 : inputTokens(usage);
  if (usage === null || tokens === 0) return before;
  const { fresh, outlasted, newest } = before;
  const pause = newest === null ? 0 : at - newest.at;
  const isOutlasted = pause > CACHE_TTL_MS["5m"] && pause <= CACHE_TTL_MS["1h"];
  // What a compaction leaves is new behind system prompt and tools, which the cache has.
  const added = newest === null ? tokens - usage.cache_read_input_tokens : tokens - newest.tokens;
  return {
    fresh: fresh + Math.max(0, added),
    outlasted: outlasted + (isOutlasted ? (newest?.tokens ?? 0) : 0),
    newest: { at, tokens },
  };
}
