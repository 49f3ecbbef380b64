import type { EventOf, ResultBlock } from "@berth/contract";
import type { Draft, LogEntry } from "./log-entry.ts";

/** The party that runs a call: the service, an MCP server, or the client. It decides the events' types. */
export type CallKind = "tool" | "mcp" | "custom";

export type ToolUseEvent = EventOf<"agent.tool_use" | "agent.mcp_tool_use" | "agent.custom_tool_use">;
export type ToolResultEvent = EventOf<
  "agent.tool_result" | "agent.mcp_tool_result" | "user.custom_tool_result"
>;

const KINDS_BY_USE = {
  "agent.tool_use": "tool",
  "agent.mcp_tool_use": "mcp",
  "agent.custom_tool_use": "custom",
} as const satisfies Record<ToolUseEvent["type"], CallKind>;

const KINDS_BY_RESULT = {
  "agent.tool_result": "tool",
  "agent.mcp_tool_result": "mcp",
  "user.custom_tool_result": "custom",
} as const satisfies Record<ToolResultEvent["type"], CallKind>;

export function isToolUse(event: LogEntry["event"]): event is ToolUseEvent {
  return Object.hasOwn(KINDS_BY_USE, event.type);
}

export function isToolResult(event: LogEntry["event"]): event is ToolResultEvent {
  return Object.hasOwn(KINDS_BY_RESULT, event.type);
}

export function callKind(event: Pick<ToolUseEvent, "type">): CallKind {
  return KINDS_BY_USE[event.type];
}

/** Creates a result of the service, also for a custom tool's call that the client will not answer. */
export function toolResultEvent(
  call: { eventId: string; kind: CallKind },
  result: { content: ResultBlock[]; is_error: boolean },
): Draft {
  return call.kind === "mcp"
    ? { event: { type: "agent.mcp_tool_result", mcp_tool_use_id: call.eventId, ...result } }
    : { event: { type: "agent.tool_result", tool_use_id: call.eventId, ...result } };
}

/** Returns whether an announced call needs a client: to confirm it before it starts, or to run it. */
export function waitsForClient(event: { type: string; evaluated_permission?: string }): boolean {
  return event.type === "agent.custom_tool_use" || event.evaluated_permission === "ask";
}

/** Returns the id of the event that announced the call. */
export function resultCallId(event: ToolResultEvent): string {
  if (event.type === "agent.tool_result") return event.tool_use_id;
  return event.type === "agent.mcp_tool_result" ? event.mcp_tool_use_id : event.custom_tool_use_id;
}
