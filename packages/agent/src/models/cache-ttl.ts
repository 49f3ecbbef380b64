/** For how long a provider's cache is asked to keep what a request sends, from the newest request that has it. */
export type CacheTtl = "5m" | "1h";

export const CACHE_TTL_MS: Readonly<Record<CacheTtl, number>> = { "5m": 300_000, "1h": 3_600_000 };

/** To write a token for an hour costs so much more than for five minutes: Anthropic takes 2 and 1.25 of an uncached one. */
export const HOUR_SURCHARGE = 0.6;
