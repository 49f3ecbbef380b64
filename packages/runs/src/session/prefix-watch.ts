import { type Model, parentCallOf } from "@berth/agent";
import type { ModelUsage } from "@berth/contract";
import type { Logger } from "pino";
import type { Appended } from "../lease/run-log.ts";
import { digestsOf, firstChange, type RequestDigests } from "./request-digests.ts";

/** Shorter than the shortest lifetime of a provider's cache, 5 minutes. */
const CACHE_MS = 240_000;
/** Fewer tokens may be too few to be cached. */
const MIN_CACHED_TOKENS = 4_096;

interface Sent {
  model: string;
  digests: RequestDigests;
  /** By `performance.now()`. */
  at: number;
  /** It goes on with results of tools, in the same turn. */
  hasResults: boolean;
}

/**
 * Tells operators in the service's log when a request of a session does not begin with what the answered one before it sent, so that
 * the provider's cache serves less of it: a line with the part that differs, and never its content. A compaction, content that is
 * left out since the provider rejects it, and another model begin anew without a line. So does a run of the session: it knows nothing
 * of the one before.
 */
export class PrefixWatch {
  readonly #log: Logger;
  #sent: Sent | null = null;
  #answered: (Sent & { usage: ModelUsage | null }) | null = null;
  #isCacheLost = false;

  /** @param log names the session and its organization in each line. */
  constructor(log: Logger) {
    this.#log = log;
  }

  /** The model, with its requests watched. */
  watched(model: Model): Model {
    return {
      ...model,
      stream: (request, signal, onSend) => {
        this.#sent = {
          model: model.id,
          digests: digestsOf(request),
          at: performance.now(),
          hasResults: request.messages.at(-1)?.role === "tool",
        };
        return model.stream(request, signal, onSend);
      },
    };
  }

  /** What one append of the run stored: with the end of a request comes what its answer led to. */
  appended(entries: readonly Appended[]): void {
    const events = entries.map(({ event }) => event).filter((event) => parentCallOf(event) === null);
    if (events.some(({ type }) => type === "agent.context_compacted")) {
      this.#answered = null;
      return;
    }
    const end = events.find((event) => event.type === "span.model_request_end");
    const sent = this.#sent;
    if (end === undefined || end.is_error || sent === null) return;
    const before = this.#answered;
    this.#answered = { ...sent, usage: end.model_usage };
    this.#sent = null;
    if (before === null || before.model !== sent.model) return;
    if (events.some(({ type }) => type === "agent.content_omitted")) return;
    const change = firstChange(before.digests, sent.digests);
    if (change !== null)
      this.#log.warn({ model: sent.model, ...change }, "the prefix of a model request changed");
    else this.#checkCache(before, sent, end.model_usage);
  }

  /**
   * Only of providers that say what they wrote to the cache, and between requests of one turn: some drop thinking from the prefix when
   * a user's message comes. One line until a request reads the cache again.
   */
  #checkCache(
    before: Sent & { usage: ModelUsage | null },
    { at, hasResults, model }: Sent,
    usage: ModelUsage | null,
  ): void {
    if (before.usage === null || usage === null || before.usage.cache_creation_input_tokens === 0) return;
    const expected = before.usage.cache_read_input_tokens + before.usage.cache_creation_input_tokens;
    if (!hasResults || at - before.at > CACHE_MS || expected < MIN_CACHED_TOKENS) return;
    const wasLost = this.#isCacheLost;
    this.#isCacheLost = usage.cache_read_input_tokens < expected / 2;
    if (!this.#isCacheLost || wasLost) return;
    const tokens = { cached_tokens: expected, cache_read_input_tokens: usage.cache_read_input_tokens };
    this.#log.warn({ model, ...tokens }, "the provider's cache did not serve the prefix of a model request");
  }
}
