/** Prices of tokens relative to an uncached input token. */
export interface TokenPrices {
  /** An input token that is read from the cache. */
  cacheRead: number;
  /** An input token that is written to the cache. */
  cacheWrite: number;
  output: number;
}

/** Default prices for models whose own are unknown. */
export const USUAL_PRICES: TokenPrices = { cacheRead: 0.1, cacheWrite: 1.25, output: 5 };
