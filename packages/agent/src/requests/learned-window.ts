import type { History } from "../history/history.ts";
import { estimatePrefixTokens } from "../models/estimate-tokens.ts";
import type { ModelError } from "../models/model.ts";
import { type ContextWindow, contextWindowOf, type RequestPrefix } from "./context-window.ts";

const MIN_BUDGET = 100;
/**
 * The smallest request in tokens whose rejection without a stated limit says something about the window: a
 * smaller one may have too many bytes.
 */
const MIN_WINDOW = 8_192;

/** The context window of a session's model: as configured, or smaller, as rejected requests have shown. */
export class LearnedWindow {
  readonly #model: { contextWindow: number; maxOutputTokens: number };
  readonly #limit: number;
  #learned: number | null = null;
  /** Estimated tokens of the newest request that was rejected for its size without a stated limit. */
  #rejected: number | null = null;
  /** Estimated tokens per token that the provider counts, at most 1. */
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

  /** Returns the learned window in tokens, or null when the log already has it. */
  news({ contextWindow }: History): number | null {
    return this.#learned === contextWindow ? null : this.#learned;
  }

  /**
   * Learns from the rejection of a request that was too large: the stated limit, or else that the window is
   * smaller than the request.
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

  /** Returns the estimated tokens for the next request's messages; halved after each further rejection. */
  budget(history: History, prefix: RequestPrefix, refusals: number): number {
    const { size, outputReserve } = this.of(history);
    const room = (size - outputReserve) * this.#ratio;
    const half = this.#rejected === null ? Number.POSITIVE_INFINITY : this.#rejected / 2;
    const budget = (Math.min(room, half) - estimatePrefixTokens(prefix)) / 2 ** Math.max(0, refusals - 1);
    return Math.max(MIN_BUDGET, Math.floor(budget));
  }
}
