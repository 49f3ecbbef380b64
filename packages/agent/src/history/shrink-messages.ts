import { estimateTokens } from "../models/estimate-tokens.ts";
import type { AssistantBlock, ModelMessage, ToolResultBlock } from "../models/model.ts";
import { omittedMedia } from "../prompts/notes.ts";
import { truncateMiddle } from "../prompts/text.ts";

/**
 * Returns a copy of a history that is shortened to at most `budget` tokens by estimate, to be summarised.
 * Calls stay together with their results, and the newest user message is shortened last. These steps apply in
 * order until it fits:
 * - results after the last response are shortened, which keeps signed thinking valid;
 * - results and inputs of calls are shortened everywhere, and thinking is dropped;
 * - user texts are shortened, and their images and documents dropped;
 * - the oldest exchanges are dropped.
 */
export function shrinkMessages(messages: readonly ModelMessage[], budget: number): readonly ModelMessage[] {
  if (estimateTokens(messages) <= budget) return messages;
  const answered = messages.findLastIndex((message) => message.role === "assistant") + 1;
  const before = messages.slice(0, answered);
  const fits = (candidate: readonly ModelMessage[]) => estimateTokens(candidate) <= budget;
  for (const maxLength of [20_000, 8_000, 2_000, 500]) {
    const shorter = [...before, ...messages.slice(answered).map((message) => cutResults(message, maxLength))];
    if (fits(shorter)) return shorter;
  }
  let shorter: readonly ModelMessage[] = messages;
  for (const maxLength of [8_000, 2_000, 500, 120]) {
    shorter = messages.map((message) => cutResults(withoutThinking(message, maxLength), maxLength));
    if (fits(shorter)) return shorter;
  }
  for (const maxLength of [8_000, 2_000, 500, 120]) {
    const candidate = shorter.map((message) => cutUserTexts(message, maxLength));
    if (fits(candidate)) return candidate;
  }
  return dropOldest(
    shorter.map((message) => cutUserTexts(message, 500)),
    budget,
  );
}

function cutResults(message: ModelMessage, maxLength: number): ModelMessage {
  if (message.role !== "tool") return message;
  return { role: "tool", content: message.content.map((result) => cutResult(result, maxLength)) };
}

function cutResult(result: ToolResultBlock, maxLength: number): ToolResultBlock {
  const content = result.content.map((block) =>
    block.type === "text"
      ? { type: "text" as const, text: truncateMiddle(block.text, maxLength) }
      : { type: "text" as const, text: `[${block.mediaType} image]` },
  );
  return { ...result, content };
}

function withoutThinking(message: ModelMessage, maxLength: number): ModelMessage {
  if (message.role !== "assistant") return message;
  const content = message.content
    .filter((block) => block.type !== "thinking")
    .map((block) => truncateBlock(block, maxLength));
  return {
    role: "assistant",
    content: content.length > 0 ? content : [{ type: "text", text: "(thinking)" }],
  };
}

/** Drops `opaque` as well, since it may refer to the dropped thinking. */
function truncateBlock(block: AssistantBlock, maxLength: number): AssistantBlock {
  if (block.type !== "tool_call") return { type: block.type, text: truncateMiddle(block.text, maxLength) };
  const { id, name, input } = block;
  return { type: "tool_call", id, name, input: cutStrings(input, maxLength) };
}

function cutStrings(input: Record<string, unknown>, maxLength: number): Record<string, unknown> {
  const pairs = Object.entries(input).map(([key, value]) => [
    key,
    typeof value === "string" ? truncateMiddle(value, maxLength) : value,
  ]);
  return Object.fromEntries(pairs) as Record<string, unknown>;
}

function cutUserTexts(message: ModelMessage, maxLength: number): ModelMessage {
  if (message.role !== "user") return message;
  const content = message.content.map((block) => ({
    type: "text" as const,
    text: block.type === "text" ? truncateMiddle(block.text, maxLength) : omittedMedia(block.mediaType),
  }));
  return { role: "user", content };
}

/** Keeps the first message and the newest exchanges that fit; an exchange begins with a response. */
function dropOldest(messages: readonly ModelMessage[], budget: number): readonly ModelMessage[] {
  const first = messages.slice(0, 1);
  for (let start = 1; start < messages.length; start++) {
    if (messages[start]?.role !== "assistant") continue;
    const candidate = [...first, ...messages.slice(start)];
    if (estimateTokens(candidate) <= budget) return candidate;
  }
  return first;
}
