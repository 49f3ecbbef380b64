import type { ModelUsage } from "@berth/contract";
import { CACHE_TTL_MS } from "../models/cache-ttl.ts";
import { inputTokens } from "./carried-tokens.ts";

/** Statistics of a session for choosing its cache lifetime, in tokens as the provider counts them. */
export interface PausedTokens {
  /** Tokens sent for the first time: each costs more to write with a lifetime of an hour. */
  fresh: number;
  /** Tokens sent again after pauses of more than five minutes and at most an hour, also within turns. */
  outlasted: number;
  /**
   * The newest request's start, in milliseconds since 1970, and its input. Null when nothing was sent since
   * the last compaction.
   */
  newest: { at: number; tokens: number } | null;
}

export const NO_PAUSES: PausedTokens = { fresh: 0, outlasted: 0, newest: null };

/** Adds a request. Returns `before` unchanged when the provider reports no usage. */
export function withPause(before: PausedTokens, at: number, usage: ModelUsage | null): PausedTokens {
  const tokens = usage === null ? 0 : inputTokens(usage);
  if (usage === null || tokens === 0) return before;
  const { fresh, outlasted, newest } = before;
  const pause = newest === null ? 0 : at - newest.at;
  const isOutlasted = pause > CACHE_TTL_MS["5m"] && pause <= CACHE_TTL_MS["1h"];
  // After a compaction, the system prompt and tools are still cached; only what follows them is new.
  const added = newest === null ? tokens - usage.cache_read_input_tokens : tokens - newest.tokens;
  return {
    fresh: fresh + Math.max(0, added),
    outlasted: outlasted + (isOutlasted ? (newest?.tokens ?? 0) : 0),
    newest: { at, tokens },
  };
}
