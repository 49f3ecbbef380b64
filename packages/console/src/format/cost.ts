import type { ModelUsage } from "@berth/sdk";

/** US dollars for a million tokens. */
type Price = { input: number; output: number };

/** What reading from a cache and writing to it usually cost, as shares of the price of input. */
const CACHE_READ = 0.1;
const CACHE_WRITE = 1.25;

/** About what the tokens cost by the list price, in US dollars; null where no price is known. */
export function listCost(usage: ModelUsage, price: Price | null | undefined): number | null {
  if (!price) return null;
  const input =
    usage.input_tokens +
    usage.cache_read_input_tokens * CACHE_READ +
    usage.cache_creation_input_tokens * CACHE_WRITE;
  return (input * price.input + usage.output_tokens * price.output) / 1_000_000;
}

/** All tokens that the model read. */
export function inputTokens(usage: ModelUsage): number {
  return usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
}
