import type { EventOf, NewEvent, ResultBlock } from "@berth/contract";
import type { Verdict } from "./judge-call.ts";
import type { Draft, LogEntry, Memo } from "./log.ts";
import { storableObject, storableText } from "./storable.ts";

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

/** How a call is announced. A call of the client's tool that is refused is told as one of ours, so that no client takes it up. */
export function useEvent(
  call: { name: string; input: Record<string, unknown> },
  verdict: Verdict,
): { event: NewEvent; memo: Memo } {
  const name = storableText(call.name);
  const input = storableObject(call.input);
  if (verdict.permission === "client")
    return { event: { type: "agent.custom_tool_use", name, input }, memo: {} };
  const evaluated_permission = verdict.permission;
  const mcp = verdict.tool?.mcp;
  if (mcp === undefined)
    return { event: { type: "agent.tool_use", name, input, evaluated_permission }, memo: {} };
  const { server: mcp_server_name, name: ownName } = mcp;
  return {
    event: { type: "agent.mcp_tool_use", mcp_server_name, name: ownName, input, evaluated_permission },
    memo: { tool_name: name },
  };
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
