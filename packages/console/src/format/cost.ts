import type { ModelUsage } from "@berth/sdk";

/** US dollars per million tokens. */
type Price = { input: number; output: number };

/** The usual prices of a cache read and a cache write, as multiples of the input price. */
const CACHE_READ = 0.1;
const CACHE_WRITE = 1.25;

/** Returns the approximate list price of the tokens in US dollars; null without a known price. */
export function listCost(usage: ModelUsage, price: Price | null | undefined): number | null {
  if (!price) return null;
  const input =
    usage.input_tokens +
    usage.cache_read_input_tokens * CACHE_READ +
    usage.cache_creation_input_tokens * CACHE_WRITE;
  return (input * price.input + usage.output_tokens * price.output) / 1_000_000;
}

/** Returns all input tokens, cached ones included. */
export function inputTokens(usage: ModelUsage): number {
  return usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
}
