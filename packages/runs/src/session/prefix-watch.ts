import { type Model, parentCallOf } from "@berth/agent";
import type { ModelUsage } from "@berth/contract";
import type { Logger } from "pino";
import type { Appended } from "../lease/run-log.ts";
import { digestsOf, firstChange, type RequestDigests } from "./request-digests.ts";

/** Milliseconds. Shorter than the shortest lifetime of a provider's cache, 5 minutes. */
const CACHE_MS = 240_000;
/** Prefixes with fewer tokens may not be cached. */
const MIN_CACHED_TOKENS = 4_096;

interface Sent {
  model: string;
  digests: RequestDigests;
  /** The time of the request, by `performance.now()`. */
  at: number;
  /** Whether the request continues a turn with results of tools. */
  hasResults: boolean;
}

/**
 * Warns operators in the service's log when a request of a session does not begin with all that the last
 * successful one sent. Then the provider's cache serves less of it. The line names the part that differs,
 * never its content. A compaction, content that the provider rejects, another model and the first request of
 * a run cause no line.
 */
export class PrefixWatch {
  readonly #log: Logger;
  #sent: Sent | null = null;
  #answered: (Sent & { usage: ModelUsage | null }) | null = null;
  #isCacheLost = false;

  /** @param log a logger whose lines name the session and its organization. */
  constructor(log: Logger) {
    this.#log = log;
  }

  /** Returns the model with its requests watched. */
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

  /** Takes the events of one append. The end of a request comes with the events of its response. */
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
   * Warns when the provider's cache did not serve the prefix. It applies only to providers that report cache
   * writes, and between requests of one turn: some providers drop thinking from the prefix when a user's
   * message comes. It logs one line until a request reads the cache again.
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
