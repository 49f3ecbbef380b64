import type { AssistantBlock, ModelMessage, ModelRequest, UserBlock } from "./model.ts";

const charactersPerToken = 4;
const tokensPerImage = 1_600;
/** A page of some 200 KB takes as many tokens; too low is mended by the provider's own count, too high would drop the document. */
const base64PerDocumentToken = 130;
const tokensPerDocument = 1_500;
const charactersPerMessage = 16;

/** A rough count: a quarter of the characters, a flat price for images, documents by their size. */
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
      for (const block of message.content) sum += inputCharacters(block);
      return sum;
    case "assistant":
      for (const block of message.content) sum += assistantCharacters(block);
      return sum;
    case "tool":
      for (const result of message.content) {
        for (const block of result.content) sum += inputCharacters(block);
      }
      return sum;
  }
}

function assistantCharacters(block: AssistantBlock): number {
  const opaque = block.opaque === undefined ? 0 : JSON.stringify(block.opaque).length;
  if (block.type !== "tool_call") return block.text.length + opaque;
  return block.name.length + JSON.stringify(block.input).length + opaque;
}

function inputCharacters(block: UserBlock): number {
  if (block.type === "text") return block.text.length;
  if (block.type === "image") return tokensPerImage * charactersPerToken;
  return Math.max(tokensPerDocument, block.data.length / base64PerDocumentToken) * charactersPerToken;
}
