import type { AssistantBlock } from "../model.ts";
import type { ReasoningField } from "./stream/event-rules.ts";
import type { PromptMessage, ProviderOptions } from "./types.ts";

/** The key of `opaque` under which a block of thinking keeps where it stood in the provider's message. */
const KEY = "chat";

type Blocks = { block: AssistantBlock; blockIndex: number }[];
type AssistantMessage = Extract<PromptMessage, { role: "assistant" }>;

/** The blocks, of which thinking knows the field under which it came. */
export function withReasoningField(blocks: Blocks, field: ReasoningField | null): Blocks {
  if (field === null) return blocks;
  return blocks.map(({ block, blockIndex }) => {
    if (block.type !== "thinking") return { block, blockIndex };
    return { block: { ...block, opaque: { ...block.opaque, [KEY]: { reasoning: field } } }, blockIndex };
  });
}

/**
 * The message with its thinking under the field under which it came, which servers of Chat Completions want it back in. The AI
 * SDK always writes `reasoning_content`; what stands in the options `openaiCompatible` goes into the message as it is.
 */
export function withOwnReasoning(message: AssistantMessage): AssistantMessage {
  const field = message.content.map(fieldOf).find((found) => found !== null) ?? null;
  if (field === null) return message;
  const thinking = joined(message, "reasoning");
  const content = message.content.filter(({ type }) => type !== "reasoning");
  return {
    ...message,
    content,
    providerOptions: { openaiCompatible: fields(field, thinking, joined(message, "text")) },
  };
}

function fieldOf(part: AssistantMessage["content"][number]): ReasoningField | null {
  const kept = part.type === "reasoning" ? part.providerOptions?.[KEY]?.reasoning : undefined;
  return kept === "reasoning" || kept === "thinking" ? kept : null;
}

function fields(field: ReasoningField, thinking: string, text: string): ProviderOptions[string] {
  if (field === "reasoning") return { reasoning: thinking };
  const parts = [{ type: "thinking", thinking: [{ type: "text", text: thinking }] }];
  return { content: text === "" ? parts : [...parts, { type: "text", text }] };
}

function joined({ content }: AssistantMessage, type: "text" | "reasoning"): string {
  return content.map((part) => (part.type === type ? part.text : "")).join("");
}
