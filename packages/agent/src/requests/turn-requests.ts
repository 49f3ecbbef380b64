import { formatId, newUuid, type SessionAgent, type StopReason } from "@berth/contract";
import type { TurnTools } from "../calls/authorize-call.ts";
import type { History } from "../history/history.ts";
import { throwIfLeaseLost } from "../history/log.ts";
import type { TurnLog } from "../history/turn-log.ts";
import type { Model, ModelError, ModelRequest } from "../models/model.ts";
import { systemPrompt } from "../prompts/system-prompt.ts";
import { toolDefinitions } from "../tools/toolset.ts";
import type { RequestPrefix } from "./context-window.ts";
import { errorEvent, requestEnd } from "./request-events.ts";
import { type OnPart, type RequestOutcome, sendRequest } from "./send-request.ts";

/** How a turn ends after a request; null: it continues. */
export type TurnEnd = Exclude<StopReason["type"], "requires_action"> | null;

/** The system prompt and tools, which are the same in all requests of a session. */
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

export interface RequestOptions {
  agent: SessionAgent;
  model: Model;
  signal: AbortSignal;
  /** Waits, or rejects with the signal's reason when it aborts. Tests pass their own clock. */
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** The requests of one turn. Each has its start and end in the log, and after a failure there is a delay. */
export class TurnRequests {
  readonly #options: RequestOptions;
  readonly #log: TurnLog;
  readonly #prefix: RequestPrefix;
  #count = 0;
  /** Failures since the last complete response. */
  #failures = 0;

  constructor(options: RequestOptions, log: TurnLog, prefix: RequestPrefix) {
    this.#options = options;
    this.#log = log;
    this.#prefix = prefix;
  }

  /** How many requests were sent. */
  get count(): number {
    return this.#count;
  }

  /** Logs the start of a request, which takes the pending inputs. Returns the id of its event, for the end of the request. */
  async start(): Promise<string> {
    const id = formatId("event", newUuid());
    await this.#log.appendTakingInputs([
      { id, event: { type: "span.model_request_start", model: this.#options.model.id } },
    ]);
    return id;
  }

  /** @throws LeaseLost when the turn's signal aborted with it. */
  async send(
    history: History,
    messages: ModelRequest["messages"],
    onPart: OnPart = () => {},
  ): Promise<RequestOutcome> {
    const { agent, model, signal } = this.#options;
    this.#count += 1;
    const request: ModelRequest = {
      ...this.#prefix,
      messages,
      failedAttempts: history.failedAttempts,
      ...(agent.model.effort === undefined ? {} : { effort: agent.model.effort }),
    };
    const outcome = await sendRequest(model, request, signal, onPart);
    throwIfLeaseLost(signal);
    if (outcome.type === "finished") this.#failures = 0;
    return outcome;
  }

  /** Logs the end of a request that has no result. */
  async abandon(start: string, end: TurnEnd): Promise<TurnEnd> {
    await this.#log.append([requestEnd(start, null)]);
    return end;
  }

  /** Logs the end of a request that failed, and waits for the retry delay. */
  async fail(start: string, error: ModelError): Promise<TurnEnd> {
    this.#failures += 1;
    const delay = retryDelay(error, this.#failures);
    if (delay === null) {
      const status = error.retryable ? "exhausted" : "terminal";
      await this.#log.append([requestEnd(start, null), { event: errorEvent(error, status) }]);
      return "retries_exhausted";
    }
    await this.#log.append([
      requestEnd(start, null),
      { event: errorEvent(error, "retrying") },
      { event: { type: "session.status_rescheduled" } },
    ]);
    return await this.#wait(delay);
  }

  async #wait(milliseconds: number): Promise<TurnEnd> {
    try {
      await this.#options.sleep(milliseconds, this.#options.signal);
      return null;
    } catch (error) {
      throwIfLeaseLost(this.#options.signal);
      if (this.#options.signal.aborted) return "cancelled";
      throw error;
    }
  }
}

/** Milliseconds before the first, second and third retry. */
const RETRY_DELAYS_MS = [1_000, 2_000, 4_000];
const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Milliseconds to wait before the request is retried. Null when it is not retried: after three retries, or when the error is
 * not retryable. A longer delay that the provider asks for is granted, up to a minute.
 */
function retryDelay(error: ModelError, failures: number): number | null {
  const delay = RETRY_DELAYS_MS[failures - 1];
  if (!error.retryable || delay === undefined) return null;
  return Math.max(delay, Math.min(error.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
}
