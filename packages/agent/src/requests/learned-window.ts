import type { History } from "../history/history.ts";
import { estimatePrefixTokens } from "../models/estimate-tokens.ts";
import type { ModelError } from "../models/model.ts";
import { type ContextWindow, contextWindowOf, type RequestPrefix } from "./context-window.ts";

const MIN_BUDGET = 100;
/** Nothing is learned from a smaller request that is too large by an answer without a number: it may have too many bytes. */
const MIN_WINDOW = 8_192;

/** The context window of a session's model: as it is set up, or smaller, as it turned out to be. */
export class LearnedWindow {
  readonly #model: { contextWindow: number; maxOutputTokens: number };
  readonly #limit: number;
  #learned: number | null = null;
  /** Estimated tokens of the newest request that was rejected for its size. */
  #rejected: number | null = null;
  /** Estimated tokens for each that the provider counts, at most 1. */
  #ratio = 1;

  /** @param limit the agent's limit of the window, in tokens. */
  constructor(model: { contextWindow: number; maxOutputTokens: number }, limit: number) {
    this.#model = model;
    this.#limit = limit;
  }

  of({ contextWindow }: History): ContextWindow {
    const learned = this.#learned ?? contextWindow ?? Number.POSITIVE_INFINITY;
    return contextWindowOf(this.#model, Math.min(this.#limit, learned));
  }

  /** Its tokens, if the log does not have them yet. */
  news({ contextWindow }: History): number | null {
    return this.#learned === contextWindow ? null : this.#learned;
  }

  /**
   * Takes what the provider says of a request that was too large: the limit that it names, or else that it takes less than this.
   *
   * @param tokens of the request, by estimate.
   */
  learn({ overflow }: ModelError, tokens: number, history: History): void {
    if (overflow === null) return;
    const { certain, limit, requested } = overflow;
    this.#rejected = limit === null ? tokens : null;
    this.#ratio = requested === null ? 1 : Math.min(1, tokens / requested);
    const size = limit ?? tokens;
    if (limit === null && size < MIN_WINDOW) return;
    if (certain && size < this.of(history).size) this.#learned = size;
  }

  /** Tokens by estimate that the messages of the next request may have; half as many after each further refusal. */
  budget(history: History, prefix: RequestPrefix, refusals: number): number {
    const { size, outputReserve } = this.of(history);
    const room = (size - outputReserve) * this.#ratio;
    const half = this.#rejected === null ? Number.POSITIVE_INFINITY : this.#rejected / 2;
    const budget = (Math.min(room, half) - estimatePrefixTokens(prefix)) / 2 ** Math.max(0, refusals - 1);
    return Math.max(MIN_BUDGET, Math.floor(budget));
  }
}
