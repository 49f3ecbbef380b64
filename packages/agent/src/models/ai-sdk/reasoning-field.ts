import type { AssistantBlock } from "../model.ts";
import type { ReasoningField, StreamNotes } from "./stream/event-rules.ts";
import type { PromptMessage, ProviderOptions } from "./types.ts";

/** The key in `opaque` that records in which field of the message the provider `from` sent its reasoning. */
const KEY = "chat";

type Blocks = { block: AssistantBlock; blockIndex: number }[];
type AssistantMessage = Extract<PromptMessage, { role: "assistant" }>;
type Fields = ProviderOptions[string];

/**
 * Records in each thinking block the field that it came in. Details of the reasoning are recorded in the
 * first block, since there may be no readable thinking.
 */
export function withOwnFields(
  blocks: Blocks,
  {
    reasoningField: field,
    reasoningDetails: details,
  }: Pick<StreamNotes, "reasoningField" | "reasoningDetails">,
  from: string,
): Blocks {
  if (field === null && details.length === 0) return blocks;
  return blocks.map(({ block, blockIndex }, position) => {
    const own = {
      ...(field !== null && block.type === "thinking" ? { reasoning: field } : {}),
      ...(details.length > 0 && position === 0 ? { details } : {}),
    };
    if (Object.keys(own).length === 0) return { block, blockIndex };
    return { block: { ...block, opaque: { ...block.opaque, [KEY]: { from, ...own } } }, blockIndex };
  });
}

/**
 * Moves a message's reasoning to the fields that it came in, where servers of Chat Completions expect it. The
 * AI SDK always writes `reasoning_content`; that also applies when the response came from another provider.
 * The options in `openaiCompatible` are copied into the message.
 */
export function withOwnReasoning(message: AssistantMessage, provider: string): AssistantMessage {
  const kept = message.content
    .map((part) => part.providerOptions?.[KEY])
    .filter((fields) => fields?.from === provider);
  const field = kept.map((fields) => fieldOf(fields)).find((found) => found !== null) ?? null;
  const details = kept.find((fields) => fields?.details !== undefined)?.details;
  if (field === null && details === undefined) return message;
  const openaiCompatible = {
    ...(field === null ? {} : reasoningFields(field, joined(message, "reasoning"), joined(message, "text"))),
    ...(details === undefined ? {} : { reasoning_details: details }),
  };
  const content = message.content.filter(({ type }) => field === null || type !== "reasoning");
  return { ...message, content, providerOptions: { openaiCompatible } };
}

function fieldOf(fields: Fields | undefined): ReasoningField | null {
  const kept = fields?.reasoning;
  return kept === "reasoning" || kept === "thinking" ? kept : null;
}

function reasoningFields(field: ReasoningField, thinking: string, text: string): Fields {
  if (field === "reasoning") return { reasoning: thinking };
  const parts = [{ type: "thinking", thinking: [{ type: "text", text: thinking }] }];
  return { content: text === "" ? parts : [...parts, { type: "text", text }] };
}

function joined({ content }: AssistantMessage, type: "text" | "reasoning"): string {
  return content.map((part) => (part.type === type ? part.text : "")).join("");
}
