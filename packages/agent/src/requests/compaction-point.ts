import type { CarriedTokens } from "../history/carried-tokens.ts";
import type { History } from "../history/history.ts";
import { HOUR_SURCHARGE } from "../models/cache-ttl.ts";
import { estimatePrefixTokens, estimateTokens } from "../models/estimate-tokens.ts";
import { type TokenPrices, USUAL_PRICES } from "../models/token-prices.ts";
import { estimateRequestTokens, type RequestPrefix } from "./context-window.ts";

/** The fewest tokens at which a session is compacted, unless its agent sets a point. */
export const COMPACTION_FLOOR = 28_000;
/** Tokens of a summary. */
const SUMMARY_TOKENS = 1_000;
/** Tokens that follow the prefix after a compaction: the summary, the user's messages, the newest results. */
const KEPT_TOKENS = 5_000;
/** Tokens that the model reads again, since the summary lacks them: about three files. */
const READ_AGAIN_TOKENS = 6_000;
/** The least gain of a compaction, as a share of the point at which it is made. */
const MIN_GAIN = 1 / 4;

export interface CompactionOptions {
  /** Default: the usual prices. Null if the model is free: only a full window or `compactAt` counts then. */
  prices?: TokenPrices | null | undefined;
  /** The agent's `compact_at`, in tokens, which replaces the computed point. */
  compactAt?: number | undefined;
}

/**
 * Returns whether a summary costs less than continuing with the whole context, although the window has room.
 *
 * The cost of a summary hardly depends on when it is made; it saves input of later requests, whose number is
 * unknown. So the rule is that of renting or buying. The summary is due when sending the same tokens again
 * since the last compaction has cost as much as a summary. In a session of an even rhythm that is the
 * cheapest interval, because the two costs are equal at the minimum of their sum. Wherever a session ends, it
 * has paid at most twice the necessary cost. The provider's reported usage reflects the rhythm: many small
 * requests, large results, and pauses after which the cache is written again all make a summary due earlier.
 */
export function isCompactionDue(
  history: History,
  prefix: RequestPrefix,
  { prices = USUAL_PRICES, compactAt }: CompactionOptions,
): boolean {
  if (history.compacted) return false;
  const { carried } = history;
  const tokens = estimateRequestTokens(history, prefix);
  const first = carried?.first ?? estimatePrefixTokens(prefix) + estimateTokens(history.messages.slice(0, 1));
  const point = compactAt ?? COMPACTION_FLOOR;
  if (tokens < point || tokens - first < point * MIN_GAIN) return false;
  if (compactAt !== undefined) return hasProgressed(history);
  if (prices === null || carried === null) return false;
  return carriedCost(carried, prices) >= summaryCost(tokens, pricesPaid(carried, prices));
}

/**
 * Returns whether the model has answered twice since the last compaction. The results that it first asks for
 * may exceed what a compaction keeps: compacted before it saw them, it would ask for them again and again.
 */
function hasProgressed({ messages }: History): boolean {
  return messages.filter(({ role }) => role === "assistant").length >= 2;
}

/** The assumed share of pauses longer than the cache's lifetime that end with a message. */
const SHARE_OF_RETURNS = 1 / 3;

/**
 * Returns whether a summary while the history is still cached costs less than the expected cost of writing
 * the history again after a pause. The expectation counts that an idle session may never continue; savings of
 * later requests come on top.
 */
export function paysBeforePause(
  history: History,
  prefix: RequestPrefix,
  { prices = USUAL_PRICES, compactAt }: CompactionOptions,
): boolean {
  const { carried, compacted, responseDue, interrupted, openCalls } = history;
  if (prices === null || carried === null || carried.read + carried.written === 0) return false;
  if (compacted || responseDue || interrupted || openCalls.length > 0) return false;
  const tokens = estimateRequestTokens(history, prefix);
  if (tokens < Math.min(COMPACTION_FLOOR, compactAt ?? COMPACTION_FLOOR)) return false;
  const kept = estimatePrefixTokens(prefix) + KEPT_TOKENS + READ_AGAIN_TOKENS;
  const saved = (tokens - kept) * writePrice(carried, prices) * SHARE_OF_RETURNS;
  return saved > tokens * prices.cacheRead + SUMMARY_TOKENS * prices.output;
}

/** The price of each kind of token in this session, relative to an uncached input token. */
interface PricesPaid {
  /** A token that was sent before. */
  again: number;
  /** A token that is sent for the first time. */
  first: number;
  output: number;
}

/** Returns the session's prices. A provider that reports no cached tokens is assumed to have no cache. */
export function pricesPaid(carried: CarriedTokens, prices: TokenPrices): PricesPaid {
  return {
    again: carried.read > 0 ? prices.cacheRead : 1,
    first: carried.written > 0 ? writePrice(carried, prices) : 1,
    output: prices.output,
  };
}

/** Returns the average price of a token written to the cache, of which some have a lifetime of an hour. */
function writePrice({ written, writtenForHour }: CarriedTokens, { cacheWrite }: TokenPrices): number {
  return cacheWrite * (1 + (written > 0 ? (writtenForHour / written) * HOUR_SURCHARGE : 0));
}

/** Returns the cost of sending tokens again, beyond those that every request after a compaction has. */
export function carriedCost(carried: CarriedTokens, prices: TokenPrices): number {
  const { requests, first, newest, uncached, read, written } = carried;
  const paid = uncached + read * prices.cacheRead + written * writePrice(carried, prices);
  const price = pricesPaid(carried, prices);
  return Math.max(0, paid - newest * price.first - first * (requests - 1) * price.again);
}

/** Returns a summary's cost: reading `tokens`, writing it, and sending what is kept and read again. */
export function summaryCost(tokens: number, price: PricesPaid): number {
  return (
    tokens * price.again + SUMMARY_TOKENS * price.output + (KEPT_TOKENS + READ_AGAIN_TOKENS) * price.first
  );
}
