/** What tokens cost for each that an uncached token of the input costs. */
export interface TokenPrices {
  /** A token of the input that a cache serves. */
  cacheRead: number;
  /** A token of the input that a cache takes. */
  cacheWrite: number;
  output: number;
}

/** Of a model whose prices are not known. */
export const USUAL_PRICES: TokenPrices = { cacheRead: 0.1, cacheWrite: 1.25, output: 5 };
