import type { Database, Queryable } from "@berth/store/db";
import { isSeen, milliseconds } from "@berth/store/leases";
import { newEventRow, SET_EVENT_TIME, waitingInputs } from "@berth/store/session-log";

/** The most sessions that one call reports. */
const LIMIT = 100;

/**
 * Reports sessions that have work and wait for their home, because no host of it was seen for `awayMs`. Their
 * status becomes `rescheduling`, which is one event in the log. Any host may report a session, and however
 * many do, it is reported once.
 *
 * @param place the place of this host.
 * @returns the sessions that were reported.
 */
export async function reportAway(db: Database, place: string, awayMs: number): Promise<string[]> {
  const { rows } = await db.write.query<{ id: string; status: string }>({
    name: "away_sessions",
    text: `select id, status from sessions where ${WAITS_FOR_HOME} limit $3`,
    values: [place, awayMs, LIMIT],
  });
  const told: string[] = [];
  for (const { id, status } of rows) {
    if (status === "idle" && !(await hasTurnToRun(db.write, id))) continue;
    if (await tell(db.write, id, place, awayMs)) told.push(id);
  }
  return told;
}

const IS_DUE = "(pending_at is not null and lease_owner is null)";
const IS_ORPHANED = "(lease_owner is not null and lease_until < now())";
const WAITS_FOR_HOME = `
  (${IS_DUE} or ${IS_ORPHANED}) and status in ('idle', 'running')
  and archived_at is null and terminated_at is null and deleted_at is null
  and home <> $1 and not ${isSeen("home", milliseconds("$2"))}`;

/** Returns whether a turn is to be run. Nobody waits for other work, such as an added resource. */
async function hasTurnToRun(db: Queryable, sessionId: string): Promise<boolean> {
  const { replies, messages, requiresAction } = await waitingInputs(db, sessionId);
  return replies || (messages && !requiresAction);
}

async function tell(db: Queryable, sessionId: string, place: string, awayMs: number): Promise<boolean> {
  const row = newEventRow({ event: { type: "session.status_rescheduled" } });
  const { rowCount } = await db.query({
    name: "append_away",
    text: `
      with session as (
        update sessions set status = 'rescheduling', last_seq = last_seq + 1, ${SET_EVENT_TIME}, updated_at = now()
        where id = $3 and ${WAITS_FOR_HOME}
        returning last_seq, last_event_at
      )
      insert into events (session_id, seq, id, type, body, created_at, processed_at)
      select $3, session.last_seq, $4::uuid, $5::text, $6::text, last_event_at, last_event_at from session`,
    values: [place, awayMs, sessionId, row.id, row.type, row.body],
  });
  return rowCount === 1;
}
