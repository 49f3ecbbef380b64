import { formatId, newUuid, type SessionAgent, type StopReason } from "@berth/contract";
import type { Tools } from "../calls/authorize-call.ts";
import type { History } from "../history/history.ts";
import { throwIfLeaseLost } from "../history/log.ts";
import type { TurnLog } from "../history/turn-log.ts";
import type { Model, ModelError, ModelRequest } from "../models/model.ts";
import { systemPrompt } from "../prompts/system-prompt.ts";
import { toolDefinitions } from "../tools/toolset.ts";
import type { RequestPrefix } from "./context-window.ts";
import { errorEvent, requestEnd } from "./request-events.ts";
import { type OnPart, type RequestOutcome, sendRequest } from "./send-request.ts";

/** How a turn ends after a request; null: it goes on. */
export type TurnEnd = Exclude<StopReason["type"], "requires_action"> | null;

/** What all requests of a turn begin with. */
export function requestPrefix(
  agent: SessionAgent,
  workspaceDescription: string,
  { tools, custom }: Tools,
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

/** The requests of one turn: each has its start and its end in the log, and one that failed is waited out. */
export class TurnRequests {
  readonly #turn: RequestOptions;
  readonly #log: TurnLog;
  readonly #prefix: RequestPrefix;
  #count = 0;
  /** Since the last clean answer. */
  #failures = 0;

  constructor(turn: RequestOptions, log: TurnLog, prefix: RequestPrefix) {
    this.#turn = turn;
    this.#log = log;
    this.#prefix = prefix;
  }

  /** How often the model was asked. */
  get count(): number {
    return this.#count;
  }

  /** SupportedMedia in what waits. The answer is the id of the event, for the end of the request. */
  async start(): Promise<string> {
    const id = formatId("event", newUuid());
    await this.#log.appendTakingInputs([
      { id, event: { type: "span.model_request_start", model: this.#turn.model.id } },
    ]);
    return id;
  }

  /** @throws LeaseLost when the turn's signal aborted with it. */
  async ask(
    history: History,
    messages: ModelRequest["messages"],
    onPart: OnPart = () => {},
  ): Promise<RequestOutcome> {
    const { agent, model, signal } = this.#turn;
    this.#count += 1;
    const request: ModelRequest = {
      ...this.#prefix,
      messages,
      failedAttempts: history.failedAttempts,
      ...(agent.model.effort === undefined ? {} : { effort: agent.model.effort }),
    };
    const answer = await sendRequest(model, request, signal, onPart);
    throwIfLeaseLost(signal);
    return answer;
  }

  /** An answer ended cleanly. */
  succeed(): void {
    this.#failures = 0;
  }

  /** Ends a request that brought nothing. */
  async abandon(start: string, end: TurnEnd): Promise<TurnEnd> {
    await this.#log.append([requestEnd(start, null)]);
    return end;
  }

  /** Ends a request that failed, and waits until the next may begin. */
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
      await this.#turn.sleep(milliseconds, this.#turn.signal);
      return null;
    } catch (error) {
      throwIfLeaseLost(this.#turn.signal);
      if (this.#turn.signal.aborted) return "cancelled";
      throw error;
    }
  }
}

/** Milliseconds before the first, second and third retry. */
const RETRY_DELAYS_MS = [1_000, 2_000, 4_000];
const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Milliseconds to wait before the request is tried again, or null when it is not: after three retries, or when it would
 * fail again. A provider that asks for a longer wait gets it, up to a minute.
 */
function retryDelay(error: ModelError, failures: number): number | null {
  const delay = RETRY_DELAYS_MS[failures - 1];
  if (!error.retryable || delay === undefined) return null;
  return Math.max(delay, Math.min(error.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
}
