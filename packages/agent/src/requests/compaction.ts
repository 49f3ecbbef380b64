import type { History } from "../history/history.ts";
import type { Draft, Memo } from "../history/log-entry.ts";
import { shrinkMessages } from "../history/shrink-messages.ts";
import { estimatePrefixTokens, estimateTokens } from "../models/estimate-tokens.ts";
import type { AssistantBlock, ModelMessage, UserBlock } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import { truncateMiddle } from "../prompts/text.ts";
import { estimateRequestTokens, type RequestPrefix } from "./context-window.ts";
import { keptContent } from "./kept-content.ts";
import type { FinishedResponse } from "./send-request.ts";
import type { SentMessages } from "./turn-requests.ts";

/**
 * Returns the messages of the request for a summary, of at most `budget` tokens by estimate. Tools and system
 * prompt stay the same although no call will run. Providers reject calls in a history without their tools,
 * and cache and signed thinking depend on the prefix.
 */
export function summaryMessages(messages: readonly ModelMessage[], budget: number): SentMessages {
  const instruction = { type: "text" as const, text: notes.SUMMARY_INSTRUCTION };
  const left = budget - estimateTokens([{ role: "user", content: [instruction] }]);
  const shorter = shrinkMessages(messages, Math.max(0, Math.floor(left)));
  const last = shorter.at(-1);
  const [before, own] = last?.role === "user" ? [shorter.slice(0, -1), last.content] : [shorter, []];
  return { messages: [...before, { role: "user", content: [...own, instruction] }], isContinued: false };
}

/** Returns the text of a response to such a request; null when it has none. */
export function summaryOf({ blocks }: FinishedResponse): string | null {
  const texts = blocks.filter((block: AssistantBlock) => block.type === "text").map(({ text }) => text);
  return texts.join("\n").trim() || null;
}

/**
 * Creates the event that replaces the history by a summary.
 *
 * @param room tokens that the messages of the next request may have.
 * @param learned the model's context window in tokens as learned from a rejected request; null when the log
 * has it.
 */
export function compactionDraft(
  summary: string,
  history: History,
  prefix: RequestPrefix,
  room: number,
  learned: number | null,
): Draft {
  const memo = { ...compactionMemo(summary, history, room, learned), ...answerOf(history, room) };
  const kept = [
    memo.text ?? "",
    memo.kept ?? "",
    ...(memo.messages ?? []),
    ...(memo.files ?? []),
    memo.results ?? "",
    memo.answer ?? "",
  ];
  const content: UserBlock[] = [
    ...kept.map((text) => ({ type: "text" as const, text })),
    ...(memo.keeps_images === true ? history.newestImages : []),
  ];
  return {
    event: {
      type: "agent.context_compacted",
      input_tokens_before: estimateRequestTokens(history, prefix),
      input_tokens_after: estimatePrefixTokens(prefix) + estimateTokens([{ role: "user", content }]),
      ...(learned === null ? {} : { context_window: learned }),
    },
    memo,
  };
}

/**
 * Returns what is stored of the history. The summary and the newest user message are each truncated to 40% of
 * the characters. That message's images are kept if they fit into 20% of the tokens. `keptContent` fills the
 * remaining room.
 */
function compactionMemo(summary: string, history: History, tokens: number, learned: number | null): Memo {
  const characters = 4 * tokens;
  const text = truncateMiddle(summary, Math.floor(characters * 0.4));
  const kept = truncateMiddle(history.newestMessage, Math.floor(characters * 0.4));
  const imageTokens = estimateTokens([{ role: "user", content: history.newestImages }]);
  const keepsImages = history.newestImages.length > 0 && imageTokens <= tokens * 0.2;
  const used = text.length + kept.length + (keepsImages ? 4 * imageTokens : 0);
  const contextWindow = learned ?? history.contextWindow;
  return {
    ...(keepsImages ? { keeps_images: true } : {}),
    text,
    kept,
    ...keptContent(history, Math.max(0, characters * 0.95 - used - MAX_HEADINGS)),
    ...(contextWindow === null ? {} : { context_window: contextWindow }),
    ...(Object.keys(history.omittedTools).length === 0 ? {} : { omitted_tools: history.omittedTools }),
  };
}

/**
 * Returns the model's newest text when no response is due, because the user replies to it. It gets the 5% of
 * the characters that the other parts leave, which is 20% of `room`.
 */
function answerOf({ responseDue, messages }: History, room: number): Pick<Memo, "answer"> {
  const last = messages.at(-1);
  if (responseDue || last?.role !== "assistant") return {};
  const texts = last.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return { answer: truncateMiddle(texts.join("\n"), Math.min(MAX_ANSWER, Math.floor(room * 0.2))) };
}

/** Maximum characters of the answer that is kept. */
const MAX_ANSWER = 16_000;

/** Characters of the notes around the kept content. */
const MAX_HEADINGS = 500;
