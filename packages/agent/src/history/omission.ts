import type { OMITTED_TYPES } from "@berth/contract";
import type { ModelMessage, UserBlock } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import { truncateMiddle } from "../prompts/text.ts";
import { cutOldestResults } from "./cut-oldest-results.ts";
import { type BlockPlace, type BlockType, replaceBlocks, unsigned } from "./replace-blocks.ts";
import { shrinkMessages } from "./shrink-messages.ts";

/**
 * Content that is left out of a history because the model's provider rejects it. An omission is stored in the
 * log and applies to every later fold. Messages are identified by their index in the history before it.
 *
 * - `blocks`: these blocks.
 * - `media`: the images and documents from a message on.
 * - `thinking`: all thinking, and the provider's opaque data of all responses.
 * - `round`: every possible cause from a message on: media, results, inputs of calls, thinking. If there is
 *   none, the texts, except that of the newest message.
 * - `tools`: the definitions of tools, by name, each while it has this digest.
 * - `size`: the oldest results and then whatever is longest, until the history has at most `budget` tokens by
 *   estimate.
 * - `messages`: everything but the text of the user's newest message, cut to `maxLength` characters. With
 *   `forgets`, later compactions do not restore the user's earlier messages, which may be the cause.
 */
export type Omission =
  | { of: "blocks"; places: readonly Omit<BlockPlace, "type">[] }
  | { of: "media"; types: readonly ("image" | "document")[]; from: number }
  | { of: "thinking" }
  | { of: "round"; from: number }
  | { of: "tools"; digests: Readonly<Record<string, string>> }
  | { of: "size"; budget: number }
  | { of: "messages"; maxLength: number; forgets: boolean };

export type OmittedType = (typeof OMITTED_TYPES)[number];

/** The number of omitted parts of each type. */
export type Omitted = ReadonlyMap<OmittedType, number>;

/**
 * Applies the omissions in order, leaving notes about what was omitted. The function is pure. Its result is
 * valid for every provider that takes `messages`: calls keep their results, no message is empty, and no
 * thinking follows a change.
 *
 * @param newest the text of the user's newest message.
 */
export function omitFrom(
  messages: readonly ModelMessage[],
  omissions: readonly Omission[],
  newest: string,
): { messages: readonly ModelMessage[]; omitted: Omitted } {
  const omitted = new Map<OmittedType, number>();
  const count = (type: OmittedType, amount = 1) => void omitted.set(type, (omitted.get(type) ?? 0) + amount);
  let kept = messages;
  for (const omission of omissions) kept = applied(kept, omission, newest, count);
  return { messages: kept, omitted };
}

type Count = (type: OmittedType, amount?: number) => void;

function applied(
  messages: readonly ModelMessage[],
  omission: Omission,
  newest: string,
  count: Count,
): readonly ModelMessage[] {
  switch (omission.of) {
    case "blocks":
      return replaceBlocks(messages, (place) => omission.places.some((named) => isAt(named, place)), count);
    case "media":
      return replaceBlocks(
        messages,
        (place) => place.message >= omission.from && isAmong(omission.types, place),
        count,
      );
    case "thinking":
      return withoutThinking(messages, count);
    case "round":
      return withoutRound(messages, omission.from, count);
    case "tools":
      return withoutTools(messages, Object.keys(omission.digests), count);
    case "size":
      return smaller(messages, omission.budget, newest, count);
    case "messages":
      count("message", messages.length);
      return [{ role: "user", content: bare(newest, omission.maxLength) }];
  }
}

function isAt(named: Omit<BlockPlace, "type">, { message, block, part }: BlockPlace): boolean {
  return named.message === message && named.block === block && named.part === part;
}

function isAmong(types: readonly BlockType[], { type }: BlockPlace): boolean {
  return types.includes(type);
}

function withoutThinking(messages: readonly ModelMessage[], count: Count): readonly ModelMessage[] {
  return messages.map((message) => {
    if (message.role !== "assistant") return message;
    const signed = message.content.filter(({ type, opaque }) => type === "thinking" || opaque !== undefined);
    if (signed.length === 0) return message;
    count("thinking", signed.length);
    return unsigned(message);
  });
}

const CAUSES: readonly BlockType[] = ["image", "document", "thinking", "tool_use", "tool_result"];

function withoutRound(
  messages: readonly ModelMessage[],
  from: number,
  count: Count,
): readonly ModelMessage[] {
  const isCause = (place: BlockPlace) => place.message >= from && isAmong(CAUSES, place);
  const without = replaceBlocks(messages, isCause, count);
  if (without.some((message, index) => message !== messages[index])) return without;
  const last = messages.length - 1;
  const newest = (messages[last]?.content.length ?? 0) - 1;
  return replaceBlocks(
    messages,
    ({ message, block }) => message >= from && !(message === last && block === newest),
    count,
  );
}

/** Adds a note about the tools to the newest message, and drops thinking, whose signature covers them. */
function withoutTools(
  messages: readonly ModelMessage[],
  names: readonly string[],
  count: Count,
): readonly ModelMessage[] {
  count("tool", names.length);
  const text = { type: "text" as const, text: notes.rejectedTools(names) };
  const last = messages.length - 1;
  return withoutThinking(messages, () => {}).map((message, index) => {
    if (index !== last || message.role === "assistant") return message;
    if (message.role === "user") return { role: "user", content: [...message.content, text] };
    const results = message.content.map((result, place) =>
      place === message.content.length - 1 ? { ...result, content: [...result.content, text] } : result,
    );
    return { role: "tool", content: results };
  });
}

function smaller(
  messages: readonly ModelMessage[],
  budget: number,
  newest: string,
  count: Count,
): readonly ModelMessage[] {
  const cut = cutOldestResults(messages, budget);
  if (cut.count > 0) count("tool_result", cut.count);
  const shorter = shrinkMessages(cut.messages, budget);
  // If only the first message fits, the user's newest message is sent in its place.
  const isBare = shorter.length === 1 && messages.length > 1;
  if (isBare || shorter.length < messages.length) count("message", messages.length - shorter.length);
  return isBare ? [{ role: "user", content: bare(newest, 4 * budget) }] : shorter;
}

function bare(newest: string, maxLength: number): UserBlock[] {
  return [
    { type: "text", text: notes.REJECTED_HISTORY },
    { type: "text", text: truncateMiddle(newest.trim() === "" ? notes.BLANK_MESSAGE : newest, maxLength) },
  ];
}
