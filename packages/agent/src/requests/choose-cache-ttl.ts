import type { SessionAgent } from "@berth/contract";
import type { PausedTokens } from "../history/paused-tokens.ts";
import { type CacheTtl, HOUR_SURCHARGE } from "../models/cache-ttl.ts";
import type { Model } from "../models/model.ts";
import { type TokenPrices, USUAL_PRICES } from "../models/token-prices.ts";

/** For how long the next request is to be kept; undefined: the provider cannot be told. An agent's own choice takes precedence. */
export function chooseCacheTtl(
  { hasHourCache, prices }: Pick<Model, "hasHourCache" | "prices">,
  chosen: SessionAgent["model"]["cache_ttl"],
  paused: PausedTokens,
): CacheTtl | undefined {
  if (hasHourCache !== true) return undefined;
  return chosen ?? (prices !== null && hourPays(paused, prices) ? "1h" : "5m");
}

/**
 * Whether an hour would have been cheaper for the session so far: what five minutes lost in its pauses, or would have lost, is more than what an hour
 * costs for each token. Nothing is predicted, and the answer changes with the session: it turns when one side has cost as much as the other, so that
 * each session pays at most 2.25 times what the better of both would have cost, and in the mean little more.
 *
 * The first request after a pause writes for five minutes; the next one reads that and asks for the hour. So a change costs no
 * second writing: an entry is found whatever its lifetime, and what is new behind it is charged by the marker.
 */
export function hourPays({ fresh, outlasted }: PausedTokens, prices: TokenPrices = USUAL_PRICES): boolean {
  const { cacheRead, cacheWrite } = prices;
  return outlasted * (cacheWrite - cacheRead) > fresh * cacheWrite * HOUR_SURCHARGE;
}
