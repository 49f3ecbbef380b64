import type { CarriedTokens } from "../history/carried-tokens.ts";
import type { History } from "../history/history.ts";
import { HOUR_SURCHARGE } from "../models/cache-ttl.ts";
import { estimatePrefixTokens, estimateTokens } from "../models/estimate-tokens.ts";
import { type TokenPrices, USUAL_PRICES } from "../models/token-prices.ts";
import { estimateRequestTokens, type RequestPrefix } from "./context-window.ts";

/** No session is compacted below so many tokens, unless its agent says so. */
export const COMPACTION_FLOOR = 28_000;
/** Tokens that a summary has. */
const SUMMARY_TOKENS = 1_000;
/** Tokens that follow the prefix after a compaction: the summary, the user's messages, the newest results. */
const KEPT_TOKENS = 5_000;
/** Tokens of what the model reads again because the summary does not have it: about three files, since the newest results are kept. */
const READ_AGAIN_TOKENS = 6_000;
/** A compaction that gains less than this share of the point at which it is made is not worth what it loses. */
const MIN_GAIN = 1 / 4;

export interface CompactionOptions {
  /** Default: the usual ones. Null: the model costs nothing, so that only a full window or `compactAt` is a reason. */
  prices?: TokenPrices | null | undefined;
  /** The agent's `compact_at`, in tokens: it takes the place of the computed point. */
  compactAt?: number | undefined;
}

/**
 * Whether a summary now costs less than carrying the context on, although the window has room.
 *
 * What a summary costs hardly depends on when it is made; it saves what later requests read. How many will follow nobody knows, so
 * the rule is that of renting or buying: the summary is due when the session has paid as much for sending again what came since the
 * last compaction as a summary costs. In a session of an even rhythm that is the cheapest interval (the costs of both are equal at the
 * minimum of their sum), and wherever a session ends, it has paid at most twice what was necessary. The rhythm is in what the
 * provider reported: many small requests, large results, and pauses after which the cache is written anew, each bring it nearer.
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
 * Whether the model has answered twice since the last compaction. What it called for first may be more than a compaction keeps: compacted
 * before it saw that, it would call for it again, and so on.
 */
function hasProgressed({ messages }: History): boolean {
  return messages.filter(({ role }) => role === "assistant").length >= 2;
}

/** Of the pauses that outlast a cache, so many are taken to end with a message. */
const SHARE_OF_RETURNS = 1 / 3;

/**
 * Whether a summary made now, while the cache still has the history, costs less than what writing the history anew after a pause is expected
 * to: an idle session may never be spoken to again. What later requests read less comes on top.
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

/** What each kind of token costs in this session, for each uncached one of the input. */
interface PricesPaid {
  /** What was sent before. */
  again: number;
  /** What is sent for the first time. */
  first: number;
  output: number;
}

/** Of a provider that reports no tokens of a cache there is none. */
export function pricesPaid(carried: CarriedTokens, prices: TokenPrices): PricesPaid {
  return {
    again: carried.read > 0 ? prices.cacheRead : 1,
    first: carried.written > 0 ? writePrice(carried, prices) : 1,
    output: prices.output,
  };
}

/** What one token was that the cache took, of which some are kept for an hour. */
function writePrice({ written, writtenForHour }: CarriedTokens, { cacheWrite }: TokenPrices): number {
  return cacheWrite * (1 + (written > 0 ? (writtenForHour / written) * HOUR_SURCHARGE : 0));
}

/** What was paid beyond sending each token once, and beyond what every request has that follows a compaction. */
export function carriedCost(carried: CarriedTokens, prices: TokenPrices): number {
  const { requests, first, newest, uncached, read, written } = carried;
  const paid = uncached + read * prices.cacheRead + written * writePrice(carried, prices);
  const price = pricesPaid(carried, prices);
  return Math.max(0, paid - newest * price.first - first * (requests - 1) * price.again);
}

/** Of a summary of so many tokens: it reads them, is written, and the next requests send what was kept and what is read again. */
export function summaryCost(tokens: number, price: PricesPaid): number {
  return (
    tokens * price.again + SUMMARY_TOKENS * price.output + (KEPT_TOKENS + READ_AGAIN_TOKENS) * price.first
  );
}
