import type { History } from "../history/history.ts";
import type { Draft, Memo } from "../history/log.ts";
import { estimatePrefixTokens, estimateTokens } from "../models/estimate-tokens.ts";
import type { AssistantBlock, ModelError, ModelMessage } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import { truncateMiddle } from "../prompts/text.ts";
import {
  type ContextWindow,
  estimateRequestTokens,
  exceedsWindow,
  type RequestPrefix,
} from "./context-window.ts";
import { requestEnd } from "./request-events.ts";
import type { FinishedResponse } from "./send-request.ts";
import { shrinkMessages } from "./shrink-messages.ts";

const MAX_SUMMARY_ATTEMPTS = 3;

/** When a turn's history is replaced by a summary, and how. */
export class Compaction {
  readonly #prefix: RequestPrefix;
  readonly #window: ContextWindow;
  /** The provider said that the context is too long, whatever the estimate says. */
  #demanded = false;
  #failures = 0;

  constructor(prefix: RequestPrefix, window: ContextWindow) {
    this.#prefix = prefix;
    this.#window = window;
  }

  demand(): void {
    this.#demanded = true;
  }

  isDue(history: History): boolean {
    return this.#demanded || exceedsWindow(history, this.#prefix, this.#window);
  }

  /** The messages of the request for a summary. */
  messages(history: History): readonly ModelMessage[] {
    return summaryMessages(history, this.#prefix, this.#window, this.#failures);
  }

  /** Whether a request for a summary that failed in this way is made again, with less to read. */
  canRetry(error: ModelError): boolean {
    if (error.kind !== "context_overflow" || this.#failures + 1 >= MAX_SUMMARY_ATTEMPTS) return false;
    this.#failures += 1;
    return true;
  }

  /** The summary as one append, which ends its request. */
  drafts(start: string, history: History, answer: FinishedResponse): Draft[] {
    this.#failures = 0;
    this.#demanded = false;
    const memo = compactionMemo(answer.blocks, history, this.#prefix, this.#window);
    const texts = [memo.text ?? "", memo.kept ?? ""].map((text) => ({ type: "text" as const, text }));
    const images = memo.keeps_images === true ? history.newestImages : [];
    const after =
      estimatePrefixTokens(this.#prefix) + estimateTokens([{ role: "user", content: [...texts, ...images] }]);
    const before = estimateRequestTokens(history, this.#prefix);
    return [
      requestEnd(start, answer.usage),
      {
        event: { type: "agent.context_compacted", input_tokens_before: before, input_tokens_after: after },
        memo,
      },
    ];
  }
}

/**
 * The messages of the request for a summary. Tools and system prompt stay as they are, although no call will be made:
 * providers refuse calls in a history without their tools, and with the prefix the cache and signed thinking hold.
 * `attempt`: from 0; each leaves half the room of the one before, for a provider that counts otherwise than we do.
 */
function summaryMessages(
  history: History,
  prefix: RequestPrefix,
  window: ContextWindow,
  attempt: number,
): readonly ModelMessage[] {
  const instruction = { type: "text" as const, text: notes.SUMMARY_INSTRUCTION };
  const room = window.size - window.reserve - estimatePrefixTokens(prefix);
  const budget = room / 2 ** attempt - estimateTokens([{ role: "user", content: [instruction] }]);
  const messages = shrinkMessages(history.messages, Math.max(0, Math.floor(budget)));
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: [instruction] }];
  return [...messages.slice(0, -1), { role: "user", content: [...last.content, instruction] }];
}

/**
 * What state for the history from now on: the summary, and the newest user message verbatim, each cut to its share of
 * the room, with its images when they fit into theirs.
 */
function compactionMemo(
  blocks: readonly AssistantBlock[],
  history: History,
  prefix: RequestPrefix,
  window: ContextWindow,
): Memo {
  const texts = blocks.filter((block) => block.type === "text").map((block) => block.text);
  const summary = texts.join("\n").trim() || notes.NO_SUMMARY;
  const tokens = Math.max(0, window.size - window.reserve - estimatePrefixTokens(prefix));
  const room = 4 * tokens;
  const images = estimateTokens([{ role: "user", content: history.newestImages }]);
  return {
    ...(history.newestImages.length > 0 && images <= tokens * 0.2 ? { keeps_images: true } : {}),
    text: truncateMiddle(summary, Math.floor(room * 0.4)),
    kept: truncateMiddle(history.newestMessage, Math.floor(room * 0.4)),
  };
}
