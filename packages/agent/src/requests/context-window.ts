import type { History } from "../history/history.ts";
import { estimatePrefixTokens, estimateTokens } from "../models/estimate-tokens.ts";
import type { ModelRequest } from "../models/model.ts";

/** The part of a request that stays the same for a whole session. */
export type RequestPrefix = Pick<ModelRequest, "system" | "tools">;

export interface ContextWindow {
  /** Tokens of input and output together. */
  size: number;
  /** Tokens that stay free for the answer: what the model may write, up to half of the window. */
  reserve: number;
}

export function contextWindowOf(
  model: { contextWindow: number; maxOutputTokens: number },
  limit: number,
): ContextWindow {
  const size = Math.min(model.contextWindow, limit);
  return { size, reserve: Math.min(model.maxOutputTokens, Math.floor(size / 2)) };
}

/**
 * Tokens of the next request: what the newest answer measured, and an estimate of what was appended since; without an
 * answer, or from a provider that reports nothing, an estimate of everything.
 */
export function estimateRequestTokens(history: History, prefix: RequestPrefix): number {
  const { measured, messages } = history;
  if (measured === null) return estimatePrefixTokens(prefix) + estimateTokens(messages);
  return measured.tokens + estimateTokens(messages.slice(measured.messages));
}

/** Whether the next request would leave less room for the answer than its reserve. Never twice without an answer between. */
export function exceedsWindow(history: History, prefix: RequestPrefix, window: ContextWindow): boolean {
  return !history.compacted && estimateRequestTokens(history, prefix) > window.size - window.reserve;
}
