import { cutMiddle } from "./cut-middle.ts";
import { estimatePrefixTokens, estimateTokens } from "./estimate-tokens.ts";
import type { History } from "./history.ts";
import type { Memo } from "./log.ts";
import type { AssistantBlock, ModelMessage, ModelRequest } from "./model.ts";
import * as notes from "./notes.ts";
import { shrinkMessages } from "./shrink-messages.ts";

/** The part of a request that stays the same for a whole session. */
export type Prefix = Pick<ModelRequest, "system" | "tools">;

export interface Window {
  /** Tokens of input and output together. */
  size: number;
  /** Tokens that stay free for the answer: what the model may write, up to half of the window. */
  reserve: number;
}

export function windowOf(model: { contextWindow: number; maxOutputTokens: number }, limit: number): Window {
  const size = Math.min(model.contextWindow, limit);
  return { size, reserve: Math.min(model.maxOutputTokens, Math.floor(size / 2)) };
}

/**
 * Tokens of the next request: what the newest answer measured, and an estimate of what was appended since; without an
 * answer, or from a provider that reports nothing, an estimate of everything.
 */
export function requestTokens(history: History, prefix: Prefix): number {
  const { measured, messages } = history;
  if (measured === null) return estimatePrefixTokens(prefix) + estimateTokens(messages);
  return measured.tokens + estimateTokens(messages.slice(measured.messages));
}

/** Whether the next request would leave less room for the answer than its reserve. Never twice without an answer between. */
export function outgrows(history: History, prefix: Prefix, window: Window): boolean {
  return !history.compacted && requestTokens(history, prefix) > window.size - window.reserve;
}

/**
 * The messages of the request for a summary. Tools and system prompt stay as they are, although no call will be made:
 * providers refuse calls in a history without their tools, and with the prefix the cache and signed thinking hold.
 * `attempt`: from 0; each leaves half the room of the one before, for a provider that counts otherwise than we do.
 */
export function summaryMessages(
  history: History,
  prefix: Prefix,
  window: Window,
  attempt: number,
): readonly ModelMessage[] {
  const instruction = { type: "text" as const, text: notes.summaryInstruction };
  const room = window.size - window.reserve - estimatePrefixTokens(prefix);
  const budget = room / 2 ** attempt - estimateTokens([{ role: "user", content: [instruction] }]);
  const messages = shrinkMessages(history.messages, Math.max(0, Math.floor(budget)));
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: [instruction] }];
  return [...messages.slice(0, -1), { role: "user", content: [...last.content, instruction] }];
}

/**
 * What stands for the history from now on: the summary, and the newest user message verbatim, each cut to its share of
 * the room, with its images when they fit into theirs.
 */
export function compactionMemo(
  blocks: readonly AssistantBlock[],
  history: History,
  prefix: Prefix,
  window: Window,
): Memo {
  const texts = blocks.filter((block) => block.type === "text").map((block) => block.text);
  const summary = texts.join("\n").trim() || notes.noSummary;
  const tokens = Math.max(0, window.size - window.reserve - estimatePrefixTokens(prefix));
  const room = 4 * tokens;
  const images = estimateTokens([{ role: "user", content: history.newestImages }]);
  return {
    ...(history.newestImages.length > 0 && images <= tokens * 0.2 ? { keeps_images: true } : {}),
    text: cutMiddle(summary, Math.floor(room * 0.4)),
    kept: cutMiddle(history.newestMessage, Math.floor(room * 0.4)),
  };
}
