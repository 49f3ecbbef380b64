import type { SessionAgent } from "@berth/contract";
import type { PausedTokens } from "../history/paused-tokens.ts";
import { type CacheTtl, HOUR_SURCHARGE } from "../models/cache-ttl.ts";
import type { Model } from "../models/model.ts";
import { type TokenPrices, USUAL_PRICES } from "../models/token-prices.ts";

/**
 * Chooses the cache lifetime of the next request. An agent's own choice takes precedence. Returns undefined
 * when the provider does not accept one.
 */
export function chooseCacheTtl(
  { hasHourCache, prices }: Pick<Model, "hasHourCache" | "prices">,
  chosen: SessionAgent["model"]["cache_ttl"],
  paused: PausedTokens,
): CacheTtl | undefined {
  if (hasHourCache !== true) return undefined;
  return chosen ?? (prices !== null && hourPays(paused, prices) ? "1h" : "5m");
}

/**
 * Returns whether a lifetime of an hour would have been cheaper for the session so far. The cost of writing
 * again after its pauses is compared with the surcharge on every new token. Nothing is predicted: the choice
 * changes when one side has cost as much as the other. So at the usual prices a session pays at most 1.6 times
 * what five minutes cost, less than three times what an hour costs, and on average little more than the better.
 *
 * The first request after a pause writes for five minutes; the next one reads that and asks for an hour. So a
 * change costs no second write: an entry is found whatever its lifetime, and new tokens after it are charged
 * by the marker.
 */
export function hourPays({ fresh, outlasted }: PausedTokens, prices: TokenPrices = USUAL_PRICES): boolean {
  const { cacheRead, cacheWrite } = prices;
  return outlasted * (cacheWrite - cacheRead) > fresh * cacheWrite * HOUR_SURCHARGE;
}
