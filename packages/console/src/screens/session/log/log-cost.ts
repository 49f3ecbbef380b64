import type { ModelUsage } from "@berth/sdk";
import { listCost } from "../../../format/cost.ts";
import { addUsage, NO_USAGE, type SessionView } from "./view.ts";

type PriceOf = (model: string | null) => Parameters<typeof listCost>[1];

/**
 * Returns the approximate list price of a log's tokens in US dollars; null if a price is unknown. Tokens of
 * nested loops count at the price of their own models.
 */
export function costOf(view: SessionView, model: string, priceOf: PriceOf): number | null {
  const loops = view.rows.flatMap((row) => (row.kind === "call" && row.loop !== null ? [row.loop] : []));
  const nested = loops.reduce((sum, { view: { usage } }) => addUsage(sum, usage), NO_USAGE);
  const costs = [
    listCost(without(view.usage, nested), priceOf(model)),
    ...loops.map((loop) => listCost(loop.view.usage, priceOf(loop.model))),
  ];
  return costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}

function without(usage: ModelUsage, part: ModelUsage): ModelUsage {
  return {
    input_tokens: usage.input_tokens - part.input_tokens,
    output_tokens: usage.output_tokens - part.output_tokens,
    cache_read_input_tokens: usage.cache_read_input_tokens - part.cache_read_input_tokens,
    cache_creation_input_tokens: usage.cache_creation_input_tokens - part.cache_creation_input_tokens,
  };
}
