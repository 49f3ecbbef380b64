import type { BlockPlace } from "../history/replace-blocks.ts";
import type { ModelMessage, ModelRequest } from "../models/model.ts";

/** How a provider numbers what a request has: Anthropic's messages, the items of OpenAI's Responses, or chat messages. */
export type WireFormat = "anthropic" | "responses" | "chat";

/** The blocks of an item of a request, in the order in which the provider numbers them. */
export type NumberedItem = readonly Omit<BlockPlace, "type">[];

/** The numbered items of a request, each with the blocks of the history that it is made of; a system prompt has none. */
export function requestItems(
  format: WireFormat,
  { system, messages }: Pick<ModelRequest, "system" | "messages">,
): NumberedItem[] {
  if (format === "anthropic") return mergedItems(messages);
  const before: NumberedItem[] = system.trim() === "" ? [] : [[]];
  const items = format === "chat" ? chatItems : responseItems;
  return [...before, ...messages.flatMap(items)];
}

/** Results and the user's blocks after them are one message. */
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

/** Each result is a message of its own; images of results are in a message after them, each behind a text. */
function chatItems(given: ModelMessage, message: number): NumberedItem[] {
  const blocks = given.content.map((_, block) => ({ message, block }));
  if (given.role !== "tool") return [blocks];
  const images = given.content.flatMap((result, block) =>
    result.content.flatMap(({ type }, part) => (type === "image" ? [{ message, block, part }] : [])),
  );
  const after = images.flatMap((image) => [image, image]);
  return [...blocks.map((block) => [block]), ...(after.length === 0 ? [] : [after])];
}

/** Each block of a response and each result is an item. */
function responseItems({ role, content }: ModelMessage, message: number): NumberedItem[] {
  const blocks = content.map((_, block) => ({ message, block }));
  return role === "user" ? [blocks] : blocks.map((block) => [block]);
}
