import { parentCallOf } from "@berth/agent";
import { formatId, type ModelUsage, type NewEvent } from "@berth/contract";
import type { Attributes, TraceSpan, Traces } from "@berth/store/traces";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import type { Appended } from "../lease/run-log.ts";

type TracedSession = Pick<RunSession, "id" | "organizationId" | "agent" | "traceparent">;
type EventOfType<Type extends NewEvent["type"]> = Extract<NewEvent, { type: Type }>;
type Result = EventOfType<"agent.tool_result" | "agent.mcp_tool_result" | "user.custom_tool_result">;

/**
 * Traces a session from the events that its run appends: a span for each turn, and below it one for each
 * request to a model, each tool call and each opened sandbox. A turn is part of the trace of the request that
 * made the session due. Names and attributes follow OpenTelemetry's conventions for generative AI. Contents
 * are included only if the operator enables them, without the session's secrets.
 */
export class SessionTrace {
  readonly #traces: Traces;
  readonly #session: TracedSession;
  readonly #requests = new Map<string, TraceSpan>();
  readonly #calls = new Map<string, TraceSpan>();
  #turn: TraceSpan | undefined;
  #usage: Pick<ModelUsage, "input_tokens" | "output_tokens"> = { input_tokens: 0, output_tokens: 0 };

  /** @param session read anew for each turn. */
  constructor(traces: Traces, session: TracedSession) {
    this.#traces = traces;
    this.#session = session;
  }

  appended(entries: readonly Appended[]): void {
    for (const { event } of entries) this.#take(event, event.id);
  }

  /** Ends all open spans when the run ends. */
  close(): void {
    this.#endTurn("interrupted");
  }

  #take(event: NewEvent, id: string | undefined): void {
    switch (event.type) {
      case "session.status_running":
        this.#endTurn("interrupted");
        this.#beginTurn();
        break;
      case "span.model_request_start":
        if (id !== undefined) this.#requests.set(id, this.#startRequest(event));
        break;
      case "span.model_request_end":
        this.#endRequest(event);
        break;
      case "agent.tool_use":
      case "agent.mcp_tool_use":
      case "agent.custom_tool_use":
        if (id !== undefined) this.#calls.set(id, this.#startCall(event, id));
        break;
      case "agent.tool_result":
        this.#endCall(event.tool_use_id, event);
        break;
      case "agent.mcp_tool_result":
        this.#endCall(event.mcp_tool_use_id, event);
        break;
      case "user.custom_tool_result":
        this.#endCall(event.custom_tool_use_id, event);
        break;
      case "session.container_started":
        this.#took("open_sandbox", event.seconds);
        break;
      case "session.resource_ready":
        this.#took("place_resource", event.seconds, { "berth.resource.id": event.resource_id });
        break;
      case "session.status_idle":
        this.#endTurn(event.stop_reason.type);
        break;
    }
  }

  #beginTurn(): TraceSpan {
    const { agent, traceparent } = this.#session;
    this.#usage = { input_tokens: 0, output_tokens: 0 };
    const turn = this.#traces.start("invoke_agent", {
      parent: traceparent,
      attributes: {
        ...this.#common("invoke_agent"),
        "gen_ai.agent.id": agent.id,
        "gen_ai.request.model": agent.model.id,
      },
    });
    this.#turn = turn;
    return turn;
  }

  /**
   * Returns the parent of an event's span: the call in whose loop it happened, or the turn. Begins a turn if
   * the process died in one and this run continues it.
   */
  #above(event: NewEvent): string | null {
    const call = this.#calls.get(parentCallOf(event) ?? "");
    return (call ?? this.#turn ?? this.#beginTurn()).traceparent;
  }

  #startRequest(event: EventOfType<"span.model_request_start">): TraceSpan {
    const { model } = event;
    const [provider = "", ...name] = model.split("/");
    return this.#traces.start(`chat ${model}`, {
      kind: "client",
      parent: this.#above(event),
      attributes: {
        ...this.#common("chat"),
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": name.join("/"),
      },
    });
  }

  #endRequest(event: EventOfType<"span.model_request_end">): void {
    const { model_request_start_id: id, model_usage: usage, is_error: isError } = event;
    const span = this.#requests.get(id);
    this.#requests.delete(id);
    this.#usage.input_tokens += usage?.input_tokens ?? 0;
    this.#usage.output_tokens += usage?.output_tokens ?? 0;
    const cached = {
      "gen_ai.usage.cache_read.input_tokens": usage?.cache_read_input_tokens,
      "gen_ai.usage.cache_creation.input_tokens": usage?.cache_creation_input_tokens,
    };
    span?.end({ ...usageAttributes(usage), ...cached }, isError ? "model_request_failed" : undefined);
  }

  #startCall(
    event: EventOfType<"agent.tool_use" | "agent.mcp_tool_use" | "agent.custom_tool_use">,
    id: string,
  ): TraceSpan {
    const types = { "agent.tool_use": "function", "agent.mcp_tool_use": "extension" } as const;
    const type = event.type === "agent.custom_tool_use" ? "function" : types[event.type];
    return this.#traces.start(`execute_tool ${event.name}`, {
      parent: this.#above(event),
      attributes: {
        ...this.#common("execute_tool"),
        "gen_ai.tool.name": event.name,
        "gen_ai.tool.call.id": id,
        "gen_ai.tool.type": type,
        "gen_ai.tool.call.arguments": this.#content(event.input),
      },
    });
  }

  #endCall(id: string, { content, is_error: isError }: Result): void {
    const span = this.#calls.get(id);
    this.#calls.delete(id);
    span?.end({ "gen_ai.tool.call.result": this.#content(content) }, isError ? "tool_error" : undefined);
  }

  #took(name: string, seconds: number, attributes: Attributes = {}): void {
    const parent = this.#turn?.traceparent ?? this.#session.traceparent;
    const common = { "gen_ai.conversation.id": formatId("session", this.#session.id) };
    this.#traces
      .start(name, { parent, attributes: { ...common, ...attributes }, agoMs: seconds * 1_000 })
      .end();
  }

  #endTurn(outcome: string): void {
    // Ends calls that wait for a client, and requests and calls that were interrupted.
    for (const span of [...this.#requests.values(), ...this.#calls.values()])
      span.end({ "berth.outcome": outcome });
    this.#requests.clear();
    this.#calls.clear();
    this.#turn?.end({ "berth.outcome": outcome, ...usageAttributes(this.#usage) });
    this.#turn = undefined;
  }

  #common(operation: string): Attributes {
    const { id, organizationId } = this.#session;
    return {
      "gen_ai.operation.name": operation,
      "gen_ai.conversation.id": formatId("session", id),
      "berth.organization.id": formatId("organization", organizationId),
    };
  }

  #content(value: unknown): string | undefined {
    return this.#traces.withContents ? JSON.stringify(value) : undefined;
  }
}

function usageAttributes(usage: Pick<ModelUsage, "input_tokens" | "output_tokens"> | null): Attributes {
  return {
    "gen_ai.usage.input_tokens": usage?.input_tokens,
    "gen_ai.usage.output_tokens": usage?.output_tokens,
  };
}
