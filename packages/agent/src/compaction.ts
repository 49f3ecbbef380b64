import {
  compactionMemo,
  outgrows,
  type Prefix,
  requestTokens,
  summaryMessages,
  type Window,
} from "./context.ts";
import { estimatePrefixTokens, estimateTokens } from "./estimate-tokens.ts";
import type { History } from "./history.ts";
import type { Draft } from "./log.ts";
import type { ModelError, ModelMessage } from "./model.ts";
import type { Finished } from "./request-answer.ts";
import { requestEnd } from "./request-end.ts";

const summaryAttempts = 3;

/** When a turn's history is replaced by a summary, and how. */
export class Compaction {
  readonly #prefix: Prefix;
  readonly #window: Window;
  /** The provider said that the context is too long, whatever the estimate says. */
  #demanded = false;
  #failures = 0;

  constructor(prefix: Prefix, window: Window) {
    this.#prefix = prefix;
    this.#window = window;
  }

  demand(): void {
    this.#demanded = true;
  }

  isDue(history: History): boolean {
    return this.#demanded || outgrows(history, this.#prefix, this.#window);
  }

  /** The messages of the request for a summary. */
  messages(history: History): readonly ModelMessage[] {
    return summaryMessages(history, this.#prefix, this.#window, this.#failures);
  }

  /** Whether a request for a summary that failed in this way is made again, with less to read. */
  triesAgain(error: ModelError): boolean {
    if (error.kind !== "context_overflow" || this.#failures + 1 >= summaryAttempts) return false;
    this.#failures += 1;
    return true;
  }

  /** The summary as one append, which ends its request. */
  drafts(start: string, history: History, answer: Finished): Draft[] {
    this.#failures = 0;
    this.#demanded = false;
    const memo = compactionMemo(answer.blocks, history, this.#prefix, this.#window);
    const texts = [memo.text ?? "", memo.kept ?? ""].map((text) => ({ type: "text" as const, text }));
    const images = memo.keeps_images === true ? history.newestImages : [];
    const after =
      estimatePrefixTokens(this.#prefix) + estimateTokens([{ role: "user", content: [...texts, ...images] }]);
    const before = requestTokens(history, this.#prefix);
    return [
      requestEnd(start, answer.usage),
      {
        event: { type: "agent.context_compacted", input_tokens_before: before, input_tokens_after: after },
        memo,
      },
    ];
  }
}
