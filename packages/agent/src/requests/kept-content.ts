import type { History } from "../history/history.ts";
import type { Memo } from "../history/log-entry.ts";
import type { ModelMessage, ToolResultBlock } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import { truncateMiddle } from "../prompts/text.ts";

/** Characters of the newest results, about 4,000 tokens. */
const MAX_RESULT_CHARACTERS = 16_000;
/** Characters of the first message, which states the task: some 25,000 tokens. */
const MAX_FIRST_CHARACTERS = 100_000;
/** Characters of the other messages together. */
const MAX_MESSAGE_CHARACTERS = 32_000;
const MAX_FILE_CHARACTERS = 8_000;
const MAX_INPUT_CHARACTERS = 300;

/**
 * Returns the user's earlier messages, the changed files and the newest results, in at most `room`
 * characters. A compaction keeps them besides the summary and the user's newest message.
 */
export function keptContent(history: History, room: number): Pick<Memo, "messages" | "files" | "results"> {
  const messages = keptMessages(history.earlierMessages, room * 0.5);
  const files = newestThatFit(history.changedFiles, Math.min(room * 0.1, MAX_FILE_CHARACTERS));
  const left = room - lengthOf(messages) - lengthOf(files);
  const results = newestResults(history.messages, Math.min(left * 0.8, MAX_RESULT_CHARACTERS));
  return {
    ...(messages.length === 0 ? {} : { messages }),
    ...(files.length === 0 ? {} : { files }),
    ...(results === null ? {} : { results }),
  };
}

/** Keeps the first message whole if it fits, and shortens the others until they fit, or drops old ones. */
function keptMessages(messages: readonly string[], room: number): string[] {
  const [first, ...between] = messages;
  if (first === undefined) return [];
  const roomOfFirst = Math.floor(room * (between.length === 0 ? 0.9 : 0.6));
  const kept = truncateMiddle(first, Math.min(roomOfFirst, MAX_FIRST_CHARACTERS));
  const left = Math.min(room - kept.length, MAX_MESSAGE_CHARACTERS);
  const shortened = (length: number) => between.map((text) => truncateMiddle(text, length));
  const fitting = [8_000, 2_000, 500].map(shortened).find((texts) => lengthOf(texts) <= left);
  return [kept, ...(fitting ?? newestThatFit(shortened(200), left))];
}

function newestThatFit(texts: readonly string[], room: number): string[] {
  let left = room;
  const first = texts.findLastIndex((text) => {
    left -= text.length + SEPARATOR;
    return left < 0;
  });
  return texts.slice(first + 1);
}

const SEPARATOR = 2;

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length + SEPARATOR, 0);
}

/** Returns each result with its call, all cut to the same length; null when there is none, or no room. */
function newestResults(messages: readonly ModelMessage[], room: number): string | null {
  const index = messages.findLastIndex(({ role }) => role === "tool");
  const round = messages[index];
  if (round?.role !== "tool") return null;
  const each = Math.floor(room / round.content.length) - MAX_INPUT_CHARACTERS;
  if (each < MAX_INPUT_CHARACTERS) return null;
  const texts = round.content.map(
    (result) => `${callOf(result, messages[index - 1])}\n${truncateMiddle(textOf(result), each)}`,
  );
  return texts.join("\n\n");
}

function callOf({ id, name }: ToolResultBlock, response: ModelMessage | undefined): string {
  const blocks = response?.role === "assistant" ? response.content : [];
  const call = blocks.find((block) => block.type === "tool_call" && block.id === id);
  const input = call?.type === "tool_call" ? JSON.stringify(call.input) : "";
  return truncateMiddle(`${name} ${input}`, MAX_INPUT_CHARACTERS - 100);
}

function textOf({ content }: ToolResultBlock): string {
  return content
    .map((block) => (block.type === "text" ? block.text : notes.omittedMedia(block.mediaType)))
    .join("\n");
}
