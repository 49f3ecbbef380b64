import type { BudgetScope } from "@berth/contract";
import type { ListPrice } from "../models/list-price.ts";

/** The most that a request can use. */
export interface WorstCase {
  /** The id of its `span.model_request_start`. */
  requestId: string;
  /** Null when it is not known. */
  price: ListPrice | null;
  /** Returns an upper bound of its input tokens. */
  inputTokens: () => number;
  /** The model's output limit. */
  outputTokens: number;
}

/**
 * What a request may use. `outputTokens` is set when a budget holds it, and may be less than asked for. `reached`:
 * the budget of this scope has too little left for any useful answer. Null: the wait for others was aborted.
 */
export type Allowance = { outputTokens?: number } | { reached: BudgetScope } | null;

/** Holds requests to the budgets of a session and its owners. */
export interface Spending {
  /**
   * Reserves the worst case of a request in all budgets that apply. Waits while it fits only because others
   * will need less than they have reserved.
   *
   * @throws LeaseLost
   */
  reserve(worst: WorstCase, signal: AbortSignal): Promise<Allowance>;
  /** Records that the provider charges nothing for a request. Otherwise one without usage costs its worst case. */
  unbilled(requestId: string): void;
}

/** Fewer output tokens than this are not worth a request. */
export const MIN_OUTPUT_TOKENS = 2_048;
