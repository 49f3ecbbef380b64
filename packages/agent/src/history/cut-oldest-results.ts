import { estimateTokens } from "../models/estimate-tokens.ts";
import type { ModelMessage } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import { unsigned } from "./replace-blocks.ts";

/**
 * Replaces the oldest tool results by a note, as few as are needed to get under an estimated `budget` of
 * tokens. The newest round of results stays whole, so the history may still be larger. `count` is the number
 * of results that were cut.
 */
export function cutOldestResults(
  messages: readonly ModelMessage[],
  budget: number,
): { messages: readonly ModelMessage[]; count: number } {
  let excess = estimateTokens(messages) - budget;
  const newest = messages.findLastIndex((message) => message.role === "tool");
  let count = 0;
  const cut = messages.map((message, index) => {
    if (message.role === "assistant") return count > 0 ? unsigned(message) : message;
    if (message.role !== "tool" || index >= newest || excess <= 0) return message;
    const content = message.content.map((result) => ({ ...result, content: [CUT] }));
    const shorter: ModelMessage = { role: "tool", content };
    excess -= estimateTokens([message]) - estimateTokens([shorter]);
    count += content.length;
    return shorter;
  });
  return { messages: cut, count };
}

const CUT = { type: "text" as const, text: notes.CUT_RESULT };
