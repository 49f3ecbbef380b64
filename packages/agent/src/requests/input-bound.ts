import type { History } from "../history/history.ts";
import type { ModelMessage, ModelRequest, UserBlock } from "../models/model.ts";

/** What providers add to a request and to each message, such as their own instructions for tools. */
const REQUEST_OVERHEAD = 1_024;
const MESSAGE_OVERHEAD = 64;
/** More than any provider counts for an image. */
const IMAGE_TOKENS = 50_000;

/** Caches the bound of each message, which never changes. Documents count as no text. */
const boundByMessage = new WeakMap<ModelMessage, number>();

/**
 * Returns tokens that a request's input does not exceed. What the newest response's usage covers counts as
 * its provider counted it; everything else has at most one token for a byte.
 *
 * @param isCovered whether that usage is of a request with the same prefix.
 * @param contextWindow tokens, the most that a document can have.
 */
export function inputBound(
  { system, tools, messages }: Pick<ModelRequest, "system" | "tools" | "messages">,
  { measured, messages: known }: Pick<History, "measured" | "messages">,
  isCovered: boolean,
  contextWindow: number,
): number {
  const prefix = bytes(system) + bytes(JSON.stringify(tools));
  const all = REQUEST_OVERHEAD + prefix + boundOf(messages, contextWindow);
  if (measured === null || measured.messages > messages.length) return all;
  for (let index = 0; index < measured.messages; index++) if (messages[index] !== known[index]) return all;
  const since = boundOf(messages.slice(measured.messages), contextWindow);
  return Math.min(all, measured.tokens + (isCovered ? 0 : prefix) + since);
}

function boundOf(messages: readonly ModelMessage[], contextWindow: number): number {
  let sum = 0;
  for (const message of messages) {
    const known = boundByMessage.get(message) ?? textBound(message);
    boundByMessage.set(message, known);
    sum += known + documentsIn(message) * contextWindow;
  }
  return sum;
}

function textBound(message: ModelMessage): number {
  let images = 0;
  const text = JSON.stringify(message, (_, value: unknown) => {
    if (!isMedia(value)) return value;
    if (value.type === "image") images += 1;
    return null;
  });
  return MESSAGE_OVERHEAD + bytes(text) + images * IMAGE_TOKENS;
}

function documentsIn({ role, content }: ModelMessage): number {
  return role === "user" ? content.filter((block) => block.type === "document").length : 0;
}

function isMedia(value: unknown): value is Exclude<UserBlock, { type: "text" }> {
  if (typeof value !== "object" || value === null || !("mediaType" in value) || !("type" in value))
    return false;
  return value.type === "image" || value.type === "document";
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}
