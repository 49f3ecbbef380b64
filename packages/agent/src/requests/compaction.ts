import type { History } from "../history/history.ts";
import type { Draft, Memo } from "../history/log-entry.ts";
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

/** Decides when a turn's history is replaced by a summary, and makes the request and the events for it. */
export class Compaction {
  readonly #prefix: RequestPrefix;
  readonly #window: ContextWindow;
  /** The provider rejected the context as too long, whatever the estimate is. */
  #forced = false;
  #failures = 0;

  constructor(prefix: RequestPrefix, window: ContextWindow) {
    this.#prefix = prefix;
    this.#window = window;
  }

  force(): void {
    this.#forced = true;
  }

  isDue(history: History): boolean {
    return this.#forced || exceedsWindow(history, this.#prefix, this.#window);
  }

  /** The messages of the request for a summary. */
  summaryMessages(history: History): readonly ModelMessage[] {
    return summaryMessages(history, this.#prefix, this.#window, this.#failures);
  }

  /** Whether a failed request for a summary is sent again, with a shorter history. */
  canRetry(error: ModelError): boolean {
    if (error.kind !== "context_overflow" || this.#failures + 1 >= MAX_SUMMARY_ATTEMPTS) return false;
    this.#failures += 1;
    return true;
  }

  /** The end of the request and the compaction, for one append. */
  drafts(start: string, history: History, response: FinishedResponse): Draft[] {
    this.#failures = 0;
    this.#forced = false;
    const memo = compactionMemo(response.blocks, history, this.#prefix, this.#window);
    const texts = [memo.text ?? "", memo.kept ?? ""].map((text) => ({ type: "text" as const, text }));
    const images = memo.keeps_images === true ? history.newestImages : [];
    const after =
      estimatePrefixTokens(this.#prefix) + estimateTokens([{ role: "user", content: [...texts, ...images] }]);
    const before = estimateRequestTokens(history, this.#prefix);
    return [
      requestEnd(start, response.usage),
      {
        event: { type: "agent.context_compacted", input_tokens_before: before, input_tokens_after: after },
        memo,
      },
    ];
  }
}

/**
 * The messages of the request for a summary. Tools and system prompt stay the same although no call will run: providers
 * reject calls in a history without their tools, and cache and signed thinking depend on the prefix.
 *
 * `attempt`: from 0; each has half the budget of the one before, in case the provider counts more tokens than the estimate.
 */
function summaryMessages(
  history: History,
  prefix: RequestPrefix,
  window: ContextWindow,
  attempt: number,
): readonly ModelMessage[] {
  const instruction = { type: "text" as const, text: notes.SUMMARY_INSTRUCTION };
  const available = window.size - window.outputReserve - estimatePrefixTokens(prefix);
  const budget = available / 2 ** attempt - estimateTokens([{ role: "user", content: [instruction] }]);
  const messages = shrinkMessages(history.messages, Math.max(0, Math.floor(budget)));
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: [instruction] }];
  return [...messages.slice(0, -1), { role: "user", content: [...last.content, instruction] }];
}

/**
 * What replaces the history: the summary and the newest user message, each truncated to 40% of the available characters, and
 * that message's images if they fit into 20% of the tokens.
 */
function compactionMemo(
  blocks: readonly AssistantBlock[],
  history: History,
  prefix: RequestPrefix,
  window: ContextWindow,
): Memo {
  const texts = blocks.filter((block) => block.type === "text").map((block) => block.text);
  const summary = texts.join("\n").trim() || notes.NO_SUMMARY;
  const tokens = Math.max(0, window.size - window.outputReserve - estimatePrefixTokens(prefix));
  const characters = 4 * tokens;
  const images = estimateTokens([{ role: "user", content: history.newestImages }]);
  return {
    ...(history.newestImages.length > 0 && images <= tokens * 0.2 ? { keeps_images: true } : {}),
    text: truncateMiddle(summary, Math.floor(characters * 0.4)),
    kept: truncateMiddle(history.newestMessage, Math.floor(characters * 0.4)),
  };
}
