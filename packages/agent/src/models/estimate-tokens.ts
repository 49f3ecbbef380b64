import type { AssistantBlock, ModelMessage, ModelRequest, UserBlock } from "./model.ts";

const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_IMAGE = 1_600;
/**
 * Base64 characters per token of a document. A page of about 200 KB has about 1,500 tokens. An estimate that
 * is too low is corrected by the usage that the provider reports; one that is too high would drop the
 * document.
 */
const BASE64_PER_DOCUMENT_TOKEN = 130;
const TOKENS_PER_DOCUMENT = 1_500;
const CHARACTERS_PER_MESSAGE = 16;

/** Caches the characters of each message. Messages never change, and each request repeats them. */
const charactersByMessage = new WeakMap<ModelMessage, number>();

/** Estimates tokens: a quarter of the characters, a constant for each image, documents by their size. */
export function estimateTokens(messages: readonly ModelMessage[]): number {
  let characters = 0;
  for (const message of messages) characters += CHARACTERS_PER_MESSAGE + knownCharactersOf(message);
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

function knownCharactersOf(message: ModelMessage): number {
  const known = charactersByMessage.get(message);
  if (known !== undefined) return known;
  const characters = charactersOf(message);
  charactersByMessage.set(message, characters);
  return characters;
}

/** Estimates the tokens of system prompt and tools, which every request of a session has. */
export function estimatePrefixTokens(request: Pick<ModelRequest, "system" | "tools">): number {
  return Math.ceil((request.system.length + JSON.stringify(request.tools).length) / CHARACTERS_PER_TOKEN);
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
  if (block.type === "image") return TOKENS_PER_IMAGE * CHARACTERS_PER_TOKEN;
  return Math.max(TOKENS_PER_DOCUMENT, block.data.length / BASE64_PER_DOCUMENT_TOKEN) * CHARACTERS_PER_TOKEN;
}
