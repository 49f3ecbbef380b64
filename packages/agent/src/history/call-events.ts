import type { EventOf, ResultBlock } from "@berth/contract";
import type { Draft, LogEntry } from "./log.ts";

/** Who runs a call, and so which events tell of it: the service, an MCP server, or the client. */
export type CallKind = "tool" | "mcp" | "custom";

export type UseEvent = EventOf<"agent.tool_use" | "agent.mcp_tool_use" | "agent.custom_tool_use">;
export type ResultEvent = EventOf<"agent.tool_result" | "agent.mcp_tool_result" | "user.custom_tool_result">;

const kinds = {
  "agent.tool_use": "tool",
  "agent.mcp_tool_use": "mcp",
  "agent.custom_tool_use": "custom",
} as const satisfies Record<UseEvent["type"], CallKind>;

const results = {
  "agent.tool_result": "tool",
  "agent.mcp_tool_result": "mcp",
  "user.custom_tool_result": "custom",
} as const satisfies Record<ResultEvent["type"], CallKind>;

export function isUse(event: LogEntry["event"]): event is UseEvent {
  return Object.hasOwn(kinds, event.type);
}

export function isResult(event: LogEntry["event"]): event is ResultEvent {
  return Object.hasOwn(results, event.type);
}

export function kindOf(event: UseEvent): CallKind {
  return kinds[event.type];
}

/** The service's own result of a call; of a client's tool, too, when the client's will not come. */
export function resultEvent(
  call: { eventId: string; kind: CallKind },
  result: { content: ResultBlock[]; is_error: boolean },
): Draft {
  return call.kind === "mcp"
    ? { event: { type: "agent.mcp_tool_result", mcp_tool_use_id: call.eventId, ...result } }
    : { event: { type: "agent.tool_result", tool_use_id: call.eventId, ...result } };
}

/** Id of the event that announced the call. */
export function answeredCall(event: ResultEvent): string {
  if (event.type === "agent.tool_result") return event.tool_use_id;
  return event.type === "agent.mcp_tool_result" ? event.mcp_tool_use_id : event.custom_tool_use_id;
}
