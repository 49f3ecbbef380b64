import type { History } from "../history/history.ts";
import { estimatePrefixTokens, estimateTokens } from "../models/estimate-tokens.ts";
import type { ModelRequest } from "../models/model.ts";

/** The part of a request that is the same for a whole session. */
export type RequestPrefix = Pick<ModelRequest, "system" | "tools">;

export interface ContextWindow {
  /** Tokens of input and output together. */
  size: number;
  /** Tokens reserved for the response: the model's output limit, at most half of the window. */
  outputReserve: number;
}

/** Returns the window of a model, at most `limit` tokens. */
export function contextWindowOf(
  model: { contextWindow: number; maxOutputTokens: number },
  limit: number,
): ContextWindow {
  const size = Math.min(model.contextWindow, limit);
  return { size, outputReserve: Math.min(model.maxOutputTokens, Math.floor(size / 2)) };
}

/**
 * Returns the tokens of the next request: the usage that the newest response reported, and an estimate of
 * what was appended since. Everything is estimated when there is no response, or its provider reports no
 * usage.
 */
export function estimateRequestTokens(history: History, prefix: RequestPrefix): number {
  const { measured, messages } = history;
  if (measured === null) return estimatePrefixTokens(prefix) + estimateTokens(messages);
  return measured.tokens + estimateTokens(messages.slice(measured.messages));
}

/** Returns whether the next request would use the output reserve. False directly after a compaction. */
export function exceedsWindow(history: History, prefix: RequestPrefix, window: ContextWindow): boolean {
  return !history.compacted && estimateRequestTokens(history, prefix) > window.size - window.outputReserve;
}
