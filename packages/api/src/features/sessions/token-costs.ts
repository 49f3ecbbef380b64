import {
  type CompactionSavings,
  forHour,
  type ModelUsage,
  moneyOf,
  NO_USAGE,
  type Session,
} from "@berth/contract";
import { cachedInputShare, type PricedModels } from "../usage/figures.ts";

/** Tokens of a session. */
export interface TokenRow {
  /** The agent's model, as `provider/model`. */
  model: string;
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
  cache_creation_1h_input_tokens: number;
  /** Nanodollars that were charged. */
  list_cost_nano: number;
  compactions: number;
  compaction_avoided_tokens: number;
  compaction_left_tokens: number;
  summary_input_tokens: number;
  summary_output_tokens: number;
  summary_cache_read_input_tokens: number;
  summary_cache_creation_input_tokens: number;
  /** Tokens of the Explore calls, included in the tokens above. */
  explore_input_tokens: number;
  explore_output_tokens: number;
  explore_cache_read_input_tokens: number;
  explore_cache_creation_input_tokens: number;
  /** Model of the Explore calls; null when there are no such tokens. */
  explore_model: string | null;
}

/** Number of tokens by which prices are compared, small enough to be priced as a short prompt. */
const PRICED = 1_000;

/** Returns a session's tokens by kind, their cost, and what compactions saved. */
export function tokenCosts(
  row: TokenRow,
  models: PricedModels,
): Pick<Session, "usage" | "cached_input_share" | "list_cost_usd" | "compaction"> {
  const usage: ModelUsage = {
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    cache_read_input_tokens: row.cache_read_input_tokens,
    cache_creation_input_tokens: row.cache_creation_input_tokens,
    ...forHour(row.cache_creation_1h_input_tokens),
  };
  const cost = totalCost(row, usage, models);
  return {
    usage: { ...usage, list_cost: cost === null ? null : moneyOf(row.list_cost_nano) },
    cached_input_share: cachedInputShare(usage),
    list_cost_usd: cost === null ? null : toMillionth(cost),
    compaction: compactionSavings(row, models),
  };
}

/** Adds up the costs of the session's model and of Explore's. Returns null when a price is unknown. */
function totalCost(row: TokenRow, usage: ModelUsage, models: PricedModels): number | null {
  if (row.explore_model === null) return models.totalCost(row.model, usage);
  const explored: ModelUsage = {
    input_tokens: row.explore_input_tokens,
    output_tokens: row.explore_output_tokens,
    cache_read_input_tokens: row.explore_cache_read_input_tokens,
    cache_creation_input_tokens: row.explore_cache_creation_input_tokens,
  };
  const own = models.totalCost(row.model, {
    input_tokens: usage.input_tokens - explored.input_tokens,
    output_tokens: usage.output_tokens - explored.output_tokens,
    cache_read_input_tokens: usage.cache_read_input_tokens - explored.cache_read_input_tokens,
    cache_creation_input_tokens: usage.cache_creation_input_tokens - explored.cache_creation_input_tokens,
    ...forHour(row.cache_creation_1h_input_tokens),
  });
  const others = models.totalCost(row.explore_model, explored);
  return own === null || others === null ? null : own + others;
}

function compactionSavings(row: TokenRow, models: PricedModels): CompactionSavings {
  const counted = {
    count: row.compactions,
    avoided_input_tokens: row.compaction_avoided_tokens,
    rewritten_input_tokens: row.compaction_left_tokens,
    summary_usage: {
      input_tokens: row.summary_input_tokens,
      output_tokens: row.summary_output_tokens,
      cache_read_input_tokens: row.summary_cache_read_input_tokens,
      cache_creation_input_tokens: row.summary_cache_creation_input_tokens,
    },
  };
  return { ...counted, ...savedOf(counted, (usage) => models.totalCost(row.model, usage)) };
}

type Saved = "saved_input_tokens" | "saved_list_cost_usd";

function savedOf(
  {
    avoided_input_tokens: avoided,
    rewritten_input_tokens: rewritten,
    summary_usage,
  }: Omit<CompactionSavings, Saved>,
  costOf: (usage: ModelUsage) => number | null,
): Pick<CompactionSavings, Saved> {
  const full = costOf({ ...NO_USAGE, input_tokens: PRICED });
  const read = costOf({ ...NO_USAGE, cache_read_input_tokens: PRICED });
  const write = costOf({ ...NO_USAGE, cache_creation_input_tokens: PRICED });
  const summaries = costOf(summary_usage);
  if (full === null || read === null || write === null || summaries === null)
    return { saved_input_tokens: null, saved_list_cost_usd: null };
  const saved = (avoided * read - rewritten * Math.max(0, write - read)) / PRICED - summaries;
  return {
    saved_input_tokens: full === 0 ? null : Math.round((saved / full) * PRICED) + 0,
    saved_list_cost_usd: toMillionth(saved),
  };
}

/** Rounds to six decimals. Never returns -0. */
function toMillionth(dollars: number): number {
  return Number(dollars.toFixed(6)) + 0;
}
