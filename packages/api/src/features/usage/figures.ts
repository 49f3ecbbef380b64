import { forHour, type ModelUsage, type UsageFigures } from "@berth/contract";
import type { UsageRow } from "./usage-store.ts";

export interface PricedModels {
  /** Returns the list price of many requests' tokens in US dollars; null if it is not known. */
  totalCost(modelId: string, usage: ModelUsage): number | null;
}

/** Adds up rows of different models. */
export function figuresOf(rows: readonly UsageRow[], models: PricedModels): UsageFigures {
  const sum = (
    name: Exclude<keyof UsageRow, "key" | "place" | "model" | "cache_creation_1h_input_tokens">,
    of = rows,
  ) => of.reduce((before, row) => before + row[name], 0);
  const priced = rows.map((row) => ({ row, cost: models.totalCost(row.model, row) }));
  const unpriced = priced.filter(({ cost }) => cost === null).map(({ row }) => row);
  const usage = {
    input_tokens: sum("input_tokens"),
    output_tokens: sum("output_tokens"),
    cache_read_input_tokens: sum("cache_read_input_tokens"),
    cache_creation_input_tokens: sum("cache_creation_input_tokens"),
    ...forHour(rows.reduce((before, row) => before + (row.cache_creation_1h_input_tokens ?? 0), 0)),
  };
  return {
    sessions: sum("sessions"),
    turns: sum("turns"),
    active_seconds: sum("active_ms") / 1_000,
    usage,
    cached_input_share: cachedInputShare(usage),
    list_cost_usd: Number(priced.reduce((before, { cost }) => before + (cost ?? 0), 0).toFixed(6)),
    unpriced_tokens: unpriced.reduce((before, row) => before + tokensOf(row), 0),
  };
}

/** Returns the share of input tokens that a cache served, from 0 to 1; null without input tokens. */
export function cachedInputShare(usage: ModelUsage): number | null {
  const input = tokensOf(usage) - usage.output_tokens;
  return input === 0 ? null : Number((usage.cache_read_input_tokens / input).toFixed(4));
}

/** Returns the sum of tokens of all kinds. */
export function tokensOf(usage: ModelUsage): number {
  return (
    usage.input_tokens +
    usage.output_tokens +
    usage.cache_read_input_tokens +
    usage.cache_creation_input_tokens
  );
}
