import type { SessionEvent } from "@berth/contract";

/**
 * The id of the `agent.tool_use` in whose own loop an event was made, as those of Explore calls have one; null for what the agent itself
 * said and did.
 */
export function parentCallOf(event: SessionEvent): string | null {
  return ("parent_tool_use_id" in event ? event.parent_tool_use_id : undefined) ?? null;
}
