import { isDeepStrictEqual } from "node:util";
import { type BudgetScope, formatId, newUuid, type SessionAgent, type StopReason } from "@berth/contract";
import type { TurnTools } from "../calls/authorize-call.ts";
import type { History } from "../history/history.ts";
import { throwIfLeaseLost } from "../history/log.ts";
import type { Draft } from "../history/log-entry.ts";
import type { TurnLog } from "../history/turn-log.ts";
import type { Model, ModelError, ModelRequest } from "../models/model.ts";
import { systemPrompt } from "../prompts/system-prompt.ts";
import { toolDefinitions } from "../tools/toolset.ts";
import { chooseCacheTtl } from "./choose-cache-ttl.ts";
import type { RequestPrefix } from "./context-window.ts";
import { inputBound } from "./input-bound.ts";
import { errorEvent, requestEnd } from "./request-events.ts";
import { type RetryOptions, retryDelay } from "./retry-delay.ts";
import { type OnPart, type RequestOutcome, sendRequest } from "./send-request.ts";
import type { Spending, WorstCase } from "./spending.ts";

/** The end of a turn after a request; null when it continues. */
export type TurnEnd = Exclude<StopReason["type"], "requires_action"> | null;

/** The outcome of a request that may not have been sent: a budget was reached. */
export type SentOutcome = RequestOutcome | { type: "reached"; scope: BudgetScope };

/** Creates the system prompt and tools, which are the same in all requests of a session. */
export function requestPrefix(
  agent: SessionAgent,
  workspaceDescription: string,
  { tools, custom }: TurnTools,
): RequestPrefix {
  const names = tools.map((tool) => tool.name);
  return {
    system: systemPrompt({ system: agent.system, workspaceDescription, tools: names }),
    tools: toolDefinitions([...tools, ...custom]),
  };
}

export type SentMessages = Pick<ModelRequest, "messages" | "isContinued">;

export interface RequestOptions extends RetryOptions {
  agent: SessionAgent;
  model: Model;
  signal: AbortSignal;
  /**
   * Waits, or rejects with the signal's reason when it aborts. The turn does nothing else meanwhile. Tests
   * pass their own clock.
   */
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds since 1970. Default: the system's clock. */
  now?: () => number;
  /** Default: nothing limits what requests cost. */
  spending?: Spending;
}

/** Sends the requests of one turn, logs the start and end of each, and waits after failures. */
export class TurnRequests {
  readonly #options: RequestOptions;
  readonly #log: TurnLog;
  /** The prefix of the newest request that this turn got a response to. */
  #answered: RequestPrefix | null = null;

  constructor(options: RequestOptions, log: TurnLog) {
    this.#options = options;
    this.#log = log;
  }

  /** Logs the start of a request, which takes the pending inputs. Returns the id of that event. */
  async start(): Promise<string> {
    const draft = this.startDraft();
    await this.#log.appendTakingInputs([draft]);
    return draft.id;
  }

  /** Creates the start of a request, to append together with other events. */
  startDraft(): Draft & { id: string } {
    const id = formatId("event", newUuid());
    return { id, event: { type: "span.model_request_start", model: this.#options.model.id } };
  }

  /**
   * Sends a request whose start is in the log, as far as budgets allow it.
   *
   * @throws LeaseLost when the turn's signal aborted with it.
   */
  async send(
    start: string,
    history: History,
    { prefix, messages, isContinued = true }: SentMessages & { prefix: RequestPrefix },
    onPart: OnPart = () => {},
    onSend?: () => void,
  ): Promise<SentOutcome> {
    const { agent, model, signal, spending } = this.#options;
    const request: ModelRequest = {
      ...prefix,
      messages,
      isContinued,
      failedAttempts: history.failedAttempts,
      cacheTtl: chooseCacheTtl(model, agent.model.cache_ttl, history.paused),
      ...(agent.model.effort === undefined ? {} : { effort: agent.model.effort }),
    };
    const allowance = await spending?.reserve(this.#worstCase(start, history, request), signal);
    throwIfLeaseLost(signal);
    if (allowance === null) return { type: "aborted" };
    if (allowance !== undefined && "reached" in allowance)
      return { type: "reached", scope: allowance.reached };
    if (allowance?.outputTokens !== undefined) request.maxOutputTokens = allowance.outputTokens;
    let isSent = false;
    const outcome = await sendRequest(model, request, signal, onPart, () => {
      isSent = true;
      onSend?.();
    });
    if (!isSent || (outcome.type === "failed" && outcome.error.isUnbilled)) spending?.unbilled(start);
    if (outcome.type === "finished") this.#answered = prefix;
    throwIfLeaseLost(signal);
    return outcome;
  }

  #worstCase(requestId: string, history: History, request: ModelRequest): WorstCase {
    const { model } = this.#options;
    const { system, tools } = request;
    return {
      requestId,
      price: model.listPrice ?? null,
      inputTokens: () => {
        const isCovered = isDeepStrictEqual(this.#answered, { system, tools });
        return inputBound(request, history, isCovered, model.contextWindow);
      },
      outputTokens: model.maxOutputTokens,
    };
  }

  /** Logs the end of a request that has no result. */
  async abandon(start: string, end: TurnEnd): Promise<TurnEnd> {
    await this.#log.append([requestEnd(start, null)]);
    return end;
  }

  /** Returns whether a failed request is retried unchanged. */
  isRetried(error: ModelError, { failures }: History): boolean {
    return retryDelay(error, failures, this.#now(), this.#options) !== null;
  }

  /** Logs the end of a failed request, and waits for the retry delay. */
  async fail(start: string, error: ModelError, { failures }: History): Promise<TurnEnd> {
    const delay = retryDelay(error, failures, this.#now(), this.#options);
    if (delay === null) {
      const status = error.retryable ? "exhausted" : "terminal";
      await this.#log.append([requestEnd(start, null), { event: errorEvent(error, status) }]);
      return "retries_exhausted";
    }
    const next = this.#now() + delay;
    await this.#log.append([
      requestEnd(start, null),
      { event: errorEvent(error, "retrying") },
      rescheduled(next),
    ]);
    return await this.#waitUntil(next);
  }

  /** Waits for the rest of a retry delay during which the previous process died. */
  async resume({ nextRetry }: History): Promise<TurnEnd> {
    if (nextRetry === null || nextRetry <= this.#now() || this.#options.signal.aborted) return null;
    await this.#log.append([rescheduled(nextRetry)]);
    return await this.#waitUntil(nextRetry);
  }

  async #waitUntil(time: number): Promise<TurnEnd> {
    const { sleep, signal } = this.#options;
    try {
      await sleep(Math.max(0, time - this.#now()), signal);
      return null;
    } catch (error) {
      throwIfLeaseLost(signal);
      if (signal.aborted) return "cancelled";
      throw error;
    }
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}

function rescheduled(retryAt: number): Draft {
  return { event: { type: "session.status_rescheduled", retry_at: new Date(retryAt).toISOString() } };
}
