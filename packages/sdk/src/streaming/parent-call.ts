import type { SessionEvent } from "@berth/contract";

/**
 * Returns the id of the `agent.tool_use` in whose own loop an event was created, such as an Explore call;
 * null for events of the agent itself.
 */
export function parentCallOf(event: SessionEvent): string | null {
  return ("parent_tool_use_id" in event ? event.parent_tool_use_id : undefined) ?? null;
}
