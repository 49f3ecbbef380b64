import type { AssistantBlock, ImageBlock, ModelMessage, ModelRequest, TextBlock } from "./model.ts";

const charactersPerToken = 4;
const tokensPerImage = 1_600;
const charactersPerMessage = 16;

/** A rough count: a quarter of the characters, and a flat price for images. */
export function estimateTokens(messages: readonly ModelMessage[]): number {
  let characters = 0;
  for (const message of messages) characters += charactersPerMessage + charactersOf(message);
  return Math.ceil(characters / charactersPerToken);
}

/** What every request of a session carries besides its messages. */
export function estimatePrefixTokens(request: Pick<ModelRequest, "system" | "tools">): number {
  return Math.ceil((request.system.length + JSON.stringify(request.tools).length) / charactersPerToken);
}

function charactersOf(message: ModelMessage): number {
  let sum = 0;
  switch (message.role) {
    case "user":
      for (const block of message.content) sum += block.text.length;
      return sum;
    case "assistant":
      for (const block of message.content) sum += assistantCharacters(block);
      return sum;
    case "tool":
      for (const result of message.content) {
        for (const block of result.content) sum += resultCharacters(block);
      }
      return sum;
  }
}

function assistantCharacters(block: AssistantBlock): number {
  const opaque = block.opaque === undefined ? 0 : JSON.stringify(block.opaque).length;
  if (block.type !== "tool_call") return block.text.length + opaque;
  return block.name.length + JSON.stringify(block.input).length + opaque;
}

function resultCharacters(block: TextBlock | ImageBlock): number {
  return block.type === "text" ? block.text.length : tokensPerImage * charactersPerToken;
}
