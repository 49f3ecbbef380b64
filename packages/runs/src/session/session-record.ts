import { type GapParts, parentCallOf } from "@berth/agent";
import { forHour, type ModelUsage, type NewEvent, NO_USAGE } from "@berth/contract";
import type { Logger } from "pino";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import type { Appended } from "../lease/run-log.ts";
import { type SessionMetrics, toolLabel } from "./session-metrics.ts";

interface Turn {
  began: number;
  toolCalls: number;
  usage: ModelUsage;
}

/**
 * Records the activity of a session for operators, in the service's log and in metrics: a line for each turn
 * and reclaimed disk, and at debug level for each tool call. It has ids, names and numbers, but no contents.
 */
export class SessionRecord {
  readonly #log: Logger;
  readonly #session: Pick<RunSession, "agent">;
  readonly #metrics: SessionMetrics;
  readonly #calls = new Map<string, { tool: string; label: string; began: number }>();
  readonly #requests = new Map<string, { model: string; began: number }>();
  #turn = newTurn();

  /** @param log a logger whose lines name the session and its organization. */
  constructor(log: Logger, session: Pick<RunSession, "agent">, metrics: SessionMetrics) {
    this.#metrics = metrics;
    this.#log = log;
    this.#session = session;
  }

  appended(entries: readonly Appended[]): void {
    for (const { event } of entries) this.#record(event, event.id);
  }

  /** Records the first part of a response. @param requestId the id of the `span.model_request_start`. */
  firstPart(requestId: string): void {
    const request = this.#requests.get(requestId);
    if (request !== undefined) this.#metrics.firstPartCame(request.model, since(request.began) / 1_000);
  }

  gap(parts: GapParts): void {
    this.#metrics.gapEnded(parts);
  }

  #record(event: NewEvent, id: string | undefined): void {
    switch (event.type) {
      case "session.status_running":
        this.#turn = newTurn();
        break;
      case "agent.tool_use":
      case "agent.mcp_tool_use":
      case "agent.custom_tool_use":
        this.#turn.toolCalls += 1;
        this.#callBegan(event, id);
        break;
      case "agent.tool_result":
        this.#callEnded(event.tool_use_id, event.is_error);
        break;
      case "agent.mcp_tool_result":
        this.#callEnded(event.mcp_tool_use_id, event.is_error);
        break;
      case "user.custom_tool_result":
        this.#callEnded(event.custom_tool_use_id, event.is_error);
        break;
      case "span.model_request_start":
        if (id !== undefined)
          this.#requests.set(id, { model: this.#modelOf(event), began: performance.now() });
        break;
      case "span.model_request_end":
        this.#requestEnded(event.model_request_start_id, event.model_usage);
        break;
      case "session.egress_denied":
        this.#metrics.incident("egress_denied", event.reason);
        break;
      case "session.container_reclaimed":
        this.#metrics.incident("reclaimed", event.reason);
        this.#log.info({ reason: event.reason }, "disk reclaimed");
        break;
      case "session.error":
        this.#metrics.incident("error", event.error.type);
        this.#log.info(
          { error: event.error.type, retry_status: event.error.retry_status.type },
          "session error",
        );
        break;
      case "session.status_idle":
        this.#turnEnded(event.stop_reason.type);
        break;
    }
  }

  /** Returns the agent's own model, or that of a call's loop. */
  #modelOf(event: Extract<NewEvent, { type: "span.model_request_start" }>): string {
    return parentCallOf(event) === null ? this.#session.agent.model.id : event.model;
  }

  #callBegan({ type, name }: { type: string; name: string }, id: string | undefined): void {
    if (id === undefined) return;
    this.#calls.set(id, { tool: name, label: toolLabel(type, name), began: performance.now() });
  }

  #requestEnded(id: string, usage: ModelUsage | null): void {
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    const seconds = request === undefined ? null : since(request.began) / 1_000;
    this.#metrics.modelRequestEnded(request?.model ?? this.#session.agent.model.id, seconds, usage);
    this.#turn.usage = sum(this.#turn.usage, usage ?? NO_USAGE);
  }

  #callEnded(id: string, isError: boolean | undefined): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (call) this.#metrics.toolCallEnded(call.label, since(call.began) / 1_000, isError === true);
    const took = call && { tool: call.tool, milliseconds: since(call.began) };
    this.#log.debug({ call: id, ...took, is_error: isError === true }, "tool call ended");
  }

  #turnEnded(outcome: string): void {
    const { began, toolCalls, usage } = this.#turn;
    const model = this.#session.agent.model.id;
    const milliseconds = since(began);
    const fields = { outcome, milliseconds, model, tool_calls: toolCalls, ...usage };
    this.#metrics.turnEnded(outcome, milliseconds / 1_000);
    this.#log.info(fields, "turn ended");
    this.#turn = newTurn();
    this.#calls.clear();
    this.#requests.clear();
  }
}

function newTurn(): Turn {
  return { began: performance.now(), toolCalls: 0, usage: NO_USAGE };
}

function sum(one: ModelUsage, other: ModelUsage): ModelUsage {
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    cache_read_input_tokens: one.cache_read_input_tokens + other.cache_read_input_tokens,
    cache_creation_input_tokens: one.cache_creation_input_tokens + other.cache_creation_input_tokens,
    ...forHour((one.cache_creation_1h_input_tokens ?? 0) + (other.cache_creation_1h_input_tokens ?? 0)),
  };
}

function since(began: number): number {
  return Math.round(performance.now() - began);
}
