import type { EventOf } from "@berth/contract";
import type { Queryable } from "../db/statement.ts";

/** The save from which a session's next disk is made, as in the event `session.container_reclaimed`. */
export type SavedDisk = NonNullable<EventOf<"session.container_reclaimed">["save"]>;

/** SQL for the time at which a workspace was saved, in the format of events. */
export const SAVED_AT = `to_char(saved_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Returns the save of a session's disk, or null when there is none. */
export async function savedDisk(db: Queryable, sessionId: string): Promise<SavedDisk | null> {
  const { rows } = await db.query<SavedDisk>({
    name: "saved_disk",
    text: `
      select ${SAVED_AT} as saved_at, (
        select count(*)::integer from events
        where events.session_id = $1 and events.seq > workspace_saves.seq
          and type in ('agent.tool_use', 'agent.mcp_tool_use', 'agent.custom_tool_use')
          and body::json ->> 'parent_tool_use_id' is null
      ) as lost_calls
      from workspace_saves where session_id = $1`,
    values: [sessionId],
  });
  return rows[0] ?? null;
}
