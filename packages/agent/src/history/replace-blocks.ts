import type { AssistantBlock, ModelMessage, ToolResultBlock, UserBlock } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";

/** The type of a block, as omissions and their reports name it. */
export type BlockType = "text" | "image" | "document" | "thinking" | "tool_use" | "tool_result";

/** The position of a block. `part` is an index in a tool result's content, absent for the whole block. */
export interface BlockPlace {
  message: number;
  block: number;
  part?: number;
  type: BlockType;
}

/**
 * Replaces each block that `isOut` selects by a note. Calls stay but lose their input, so that each still has
 * its result. From the first change on, responses lose their thinking and the provider's opaque data, because
 * both are signed over what precedes them. `onOut` is called for each selected block.
 */
export function replaceBlocks(
  messages: readonly ModelMessage[],
  isOut: (place: BlockPlace) => boolean,
  onOut: (type: BlockType) => void = () => {},
): readonly ModelMessage[] {
  let isChanged = false;
  const out = (place: BlockPlace) => {
    if (!isOut(place)) return false;
    isChanged = true;
    onOut(place.type);
    return true;
  };
  return messages.map((message, index) => {
    if (message.role === "user") return keepIfSame(message, userBlocks(message.content, index, out));
    if (message.role === "tool") return keepIfSame(message, results(message.content, index, out));
    const content = responseBlocks(message.content, index, out);
    return isChanged ? unsigned({ role: "assistant", content }) : message;
  });
}

type Out = (place: BlockPlace) => boolean;

function keepIfSame<M extends ModelMessage>(message: M, content: M["content"]): M {
  const isSame = content.every((block, index) => block === message.content[index]);
  return isSame ? message : { ...message, content };
}

function userBlocks(blocks: readonly UserBlock[], message: number, out: Out): UserBlock[] {
  return blocks.map((block, index) =>
    out({ message, block: index, type: block.type }) ? note(block) : block,
  );
}

function note(block: UserBlock): UserBlock {
  return {
    type: "text",
    text: block.type === "text" ? notes.REJECTED_TEXT : notes.rejectedMedia(block.mediaType),
  };
}

function results(blocks: readonly ToolResultBlock[], message: number, out: Out): ToolResultBlock[] {
  return blocks.map((result, block) => {
    if (out({ message, block, type: "tool_result" })) return withText(result, notes.REJECTED_RESULT);
    const content = result.content.map((part, index) =>
      out({ message, block, part: index, type: part.type }) ? (note(part) as typeof part) : part,
    );
    return content.every((part, index) => part === result.content[index]) ? result : { ...result, content };
  });
}

function withText(result: ToolResultBlock, text: string): ToolResultBlock {
  return { ...result, content: [{ type: "text", text }] };
}

function responseBlocks(blocks: readonly AssistantBlock[], message: number, out: Out): AssistantBlock[] {
  return blocks.flatMap((block, index): AssistantBlock[] => {
    const type = block.type === "tool_call" ? "tool_use" : block.type;
    if (!out({ message, block: index, type })) return [block];
    if (block.type === "thinking") return [];
    if (block.type === "text") return [{ type: "text", text: notes.REJECTED_TEXT }];
    return [{ type: "tool_call", id: block.id, name: block.name, input: {} }];
  });
}

/** Returns a response without thinking and without the provider's opaque data. */
export function unsigned(
  message: Extract<ModelMessage, { role: "assistant" }>,
): Extract<ModelMessage, { role: "assistant" }> {
  const content = message.content.flatMap(({ opaque: _, ...block }) =>
    block.type === "thinking" ? [] : [block],
  );
  return {
    role: "assistant",
    content: content.length > 0 ? content : [{ type: "text", text: "(thinking)" }],
  };
}
