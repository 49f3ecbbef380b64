/** The lifetime that a request asks for in the provider's cache; each later read renews it. */
export type CacheTtl = "5m" | "1h";

export const CACHE_TTL_MS: Readonly<Record<CacheTtl, number>> = { "5m": 300_000, "1h": 3_600_000 };

/**
 * The surcharge for writing a token with a lifetime of an hour, as a share of the five-minute price:
 * Anthropic charges 2 and 1.25 times the uncached price.
 */
export const HOUR_SURCHARGE = 0.6;
