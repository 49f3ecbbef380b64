import type { BlockPlace } from "../history/replace-blocks.ts";
import type { ModelMessage, ModelRequest } from "../models/model.ts";

/** A provider's numbering: Anthropic's messages, items of OpenAI's Responses, or chat messages. */
export type WireFormat = "anthropic" | "responses" | "chat";

/** The blocks of an item of a request, in the order in which the provider numbers them. */
export type NumberedItem = readonly Omit<BlockPlace, "type">[];

/** Returns a request's numbered items with the blocks that they are made of; a system prompt has none. */
export function requestItems(
  format: WireFormat,
  { system, messages }: Pick<ModelRequest, "system" | "messages">,
): NumberedItem[] {
  if (format === "anthropic") return mergedItems(messages);
  const before: NumberedItem[] = system.trim() === "" ? [] : [[]];
  const items = format === "chat" ? chatItems : responseItems;
  return [...before, ...messages.flatMap(items)];
}

/** Merges results and the user's blocks after them into one message. */
function mergedItems(messages: readonly ModelMessage[]): NumberedItem[] {
  const items: NumberedItem[] = [];
  for (const [message, { role, content }] of messages.entries()) {
    const blocks = content.map((_, block) => ({ message, block }));
    const continues = role === "user" && messages[message - 1]?.role === "tool";
    if (continues) items.push([...(items.pop() ?? []), ...blocks]);
    else items.push(blocks);
  }
  return items;
}

/** Makes each result a message of its own. Images of results follow in another message, each after a text. */
function chatItems(given: ModelMessage, message: number): NumberedItem[] {
  const blocks = given.content.map((_, block) => ({ message, block }));
  if (given.role !== "tool") return [blocks];
  const images = given.content.flatMap((result, block) =>
    result.content.flatMap(({ type }, part) => (type === "image" ? [{ message, block, part }] : [])),
  );
  const after = images.flatMap((image) => [image, image]);
  return [...blocks.map((block) => [block]), ...(after.length === 0 ? [] : [after])];
}

/** Makes each block of a response and each result an item. */
function responseItems({ role, content }: ModelMessage, message: number): NumberedItem[] {
  const blocks = content.map((_, block) => ({ message, block }));
  return role === "user" ? [blocks] : blocks.map((block) => [block]);
}
