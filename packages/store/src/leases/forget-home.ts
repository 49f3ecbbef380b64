import type { Queryable } from "../db/statement.ts";
import { newEventRow } from "../session-log/event-row.ts";
import { SET_EVENT_TIME } from "../session-log/input-store.ts";
import { savedDisk } from "./saved-disk-store.ts";

/**
 * Records that a session's disk is lost with its place. The session's resources become absent, and an event
 * tells the model. The epoch grows, so the former lease holder cannot write. A turn in progress, or a
 * deletion, becomes due for any host.
 * @returns false when the session has another home.
 */
export async function forgetHome(db: Queryable, sessionId: string, place: string): Promise<boolean> {
  const save = await savedDisk(db, sessionId);
  const row = newEventRow({
    event: { type: "session.container_reclaimed", reason: "lost", ...(save !== null && { save }) },
  });
  const { rows } = await db.query({
    text: `
      with session as (
        update sessions set
          home = null, workspace_uid = null, disk = null, outputs_due = false,
          lease_owner = null, lease_until = null, lease_epoch = lease_epoch + 1,
          pending_at = case
            when lease_owner is not null or deleted_at is not null then coalesce(pending_at, now()) else pending_at
          end,
          last_seq = last_seq + case when ${IS_LIVE} then 1 else 0 end, ${SET_EVENT_TIME}
        where id = $1 and home = $2
        returning last_seq, last_event_at, ${IS_LIVE} as live
      ), absent as (
        update session_resources set ready_at = null, snapshot_id = null
        from session where session_id = $1 and (ready_at is not null or snapshot_id is not null)
      ), told as (
        insert into events (session_id, seq, id, type, body, created_at, processed_at)
        select $1, session.last_seq, $3::uuid, $4::text, $5::text, last_event_at, last_event_at
        from session where session.live
      )
      select live from session`,
    values: [sessionId, place, row.id, row.type, row.body],
  });
  return rows.length === 1;
}

const IS_LIVE = "(deleted_at is null and terminated_at is null and archived_at is null)";
