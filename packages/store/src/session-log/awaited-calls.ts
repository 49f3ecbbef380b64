import type { Draft } from "@berth/agent";
import { waitsForClient } from "@berth/agent/call-events";
import { type InputEvent, parseId } from "@berth/contract";
import type { NewEventRow } from "./event-row.ts";

/** Returns the uuids of the drafts' calls that await a client's reply; `rows` are those of the drafts. */
export function newAwaitedCalls(drafts: readonly Draft[], rows: readonly NewEventRow[]): string[] {
  return rows
    .filter((_, index) => {
      const event = drafts[index]?.event;
      return event !== undefined && waitsForClient(event);
    })
    .map((row) => row.id);
}

/** Returns the uuids of calls that get a result from the run itself, and so await no reply. */
export function resolvedCalls(drafts: readonly Draft[]): string[] {
  return drafts.flatMap(({ event }) => {
    if (event.type === "agent.tool_result") return eventUuids(event.tool_use_id);
    return event.type === "agent.mcp_tool_result" ? eventUuids(event.mcp_tool_use_id) : [];
  });
}

/** Returns the uuids of the calls that a client's events reply to. */
export function repliedCalls(inputs: readonly InputEvent[]): string[] {
  return inputs.flatMap((input) => {
    if (input.type === "user.tool_confirmation") return eventUuids(input.tool_use_id);
    return input.type === "user.custom_tool_result" ? eventUuids(input.custom_tool_use_id) : [];
  });
}

function eventUuids(id: string): string[] {
  const uuid = parseId("event", id);
  return uuid === null ? [] : [uuid];
}
