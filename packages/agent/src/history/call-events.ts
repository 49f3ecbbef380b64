import type { EventOf, ResultBlock } from "@berth/contract";
import type { Draft, LogEntry } from "./log-entry.ts";

/** Who runs a call, which decides the types of its events: the service, an MCP server, or the client. */
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

export function callKind(event: ToolUseEvent): CallKind {
  return KINDS_BY_USE[event.type];
}

/** A result that the service gives; also for a client's call whose own result will not come. */
export function toolResultEvent(
  call: { eventId: string; kind: CallKind },
  result: { content: ResultBlock[]; is_error: boolean },
): Draft {
  return call.kind === "mcp"
    ? { event: { type: "agent.mcp_tool_result", mcp_tool_use_id: call.eventId, ...result } }
    : { event: { type: "agent.tool_result", tool_use_id: call.eventId, ...result } };
}

/** Whether the call that an event announces starts only after a client confirms it, or is run by the client. */
export function waitsForClient(event: { type: string; evaluated_permission?: string }): boolean {
  return event.type === "agent.custom_tool_use" || event.evaluated_permission === "ask";
}

/** Id of the event that announced the call. */
export function resultCallId(event: ToolResultEvent): string {
  if (event.type === "agent.tool_result") return event.tool_use_id;
  return event.type === "agent.mcp_tool_result" ? event.mcp_tool_use_id : event.custom_tool_use_id;
}
