import { minUuidAt } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { newEventRow, SET_EVENT_TIME } from "@berth/store/session-log";
import { markDeleted } from "../features/sessions/session-store.ts";

/** Cutoff of a retention. Ids begin with the time of creation, so those from `uuid` on are too new. */
export interface Expired {
  organizationId: string;
  ageMs: number;
  uuid: string;
  /** Last examined uuid. The next batch continues after it, instead of examining again what stays. */
  after: string;
}

const NOTHING = "00000000-0000-0000-0000-000000000000";

/** Returns the cutoff for an age in milliseconds, by the database's clock. */
export async function expiredSince(db: Queryable, organizationId: string, ageMs: number): Promise<Expired> {
  const { rows } = await db.query<{ ms: number }>({
    name: "clock_ms",
    text: "select extract(epoch from now())::double precision * 1000 as ms",
  });
  return {
    organizationId,
    ageMs,
    uuid: minUuidAt(Math.max(0, Math.floor((rows[0]?.ms ?? 0) - ageMs))),
    after: NOTHING,
  };
}

const values = ({ organizationId, uuid, ageMs, after }: Expired) => [organizationId, uuid, ageMs, after];
const CUTOFF = "now() - $3 * interval '1 millisecond'";

/** Marks up to `limit` sessions without activity for `ageMs` as deleted, and returns their uuids. */
export async function deleteExpiredSessions(
  tx: Queryable,
  expired: Expired,
  limit: number,
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: "expired_sessions",
    text: `
      select id from sessions
      where organization_id = $1 and id < $2 and id > $4 and deleted_at is null
        and lease_owner is null and status in ('idle', 'terminated')
        and greatest(updated_at, idle_since, pending_at) < ${CUTOFF}
      order by id limit $5 for update skip locked`,
    values: [...values(expired), limit],
  });
  const ids = rows.map(({ id }) => id);
  await markDeleted(tx, ids);
  return ids;
}

/** Deletes up to `limit` runs of deployments that are older than `ageMs`. Returns how many. */
export async function deleteExpiredRuns(tx: Queryable, expired: Expired, limit: number): Promise<number> {
  const { rowCount } = await tx.query({
    name: "delete_expired_runs",
    text: `
      delete from deployment_runs where id in (
        select id from deployment_runs where organization_id = $1 and id < $2 order by id limit $3
      )`,
    values: [expired.organizationId, expired.uuid, limit],
  });
  return rowCount;
}

/** Returns up to `limit` sessions that ended `ageMs` ago or earlier and still have their events. */
export async function sessionsWithExpiredEvents(
  db: Queryable,
  expired: Expired,
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: "sessions_with_expired_events",
    text: `
      select id from sessions
      where organization_id = $1 and id < $2 and id > $4 and deleted_at is null and events_deleted_at is null
        and lease_owner is null and least(archived_at, terminated_at) < ${CUTOFF}
      order by id limit $5`,
    values: [...values(expired), limit],
  });
  return rows.map(({ id }) => id);
}

/** Deletes up to `limit` events of a session, oldest first. Returns how many. */
export async function deleteEvents(db: Queryable, sessionId: string, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: "delete_events",
    text: `
      delete from events where session_id = $1
        and seq in (select seq from events where session_id = $1 order by seq limit $2)`,
    values: [sessionId, limit],
  });
  return rowCount;
}

/** Appends to a session's log that its events are deleted. Returns false if that was recorded already. */
export async function appendEventsDeleted(tx: Queryable, sessionId: string): Promise<boolean> {
  const row = newEventRow({ event: { type: "session.events_deleted", reason: "retention" } });
  const { rowCount } = await tx.query({
    name: "append_events_deleted",
    text: `
      with session as (
        update sessions set last_seq = last_seq + 1, ${SET_EVENT_TIME}, events_deleted_at = now()
        where id = $1 and events_deleted_at is null
        returning id, last_seq, last_event_at
      ), files as (
        delete from event_files using session where session_id = session.id
      ), tools as (
        delete from session_mcp_tools using session where session_id = session.id
      ), outputs as (
        delete from call_outputs using session where session_id = session.id
      ), words as (
        update session_words set said = '', last_seq = session.last_seq from session where session_id = session.id
      )
      insert into events (session_id, seq, id, type, body, created_at, processed_at)
      select id, last_seq, $2::uuid, $3::text, $4::text, last_event_at, last_event_at from session`,
    values: [sessionId, row.id, row.type, row.body],
  });
  return rowCount === 1;
}

/**
 * Deletes up to `limit` expired files that no active session uses. The files are locked before the sessions
 * are read, so that a file that a session gets meanwhile is kept.
 */
export async function deleteExpiredFiles(
  tx: Queryable,
  expired: Expired,
  limit: number,
): Promise<{ id: string; sha256: string | null }[]> {
  const { rows: old } = await tx.query<{ id: string }>({
    name: "lock_expired_files",
    text: `
      select id from files
      where organization_id = $1 and id < $2 and id > $4 and status <> 'pending' and updated_at < ${CUTOFF} and ${IS_UNUSED}
      order by id limit $5 for update skip locked`,
    values: [...values(expired), limit],
  });
  const { rows } = await tx.query<{ id: string; sha256: string | null }>({
    name: "delete_expired_files",
    text: `delete from files where id = any($1::uuid[]) and ${IS_UNUSED} returning id, sha256`,
    values: [old.map(({ id }) => id)],
  });
  return rows;
}

const IS_UNUSED = `not exists (
    select from (
      select session_id from session_resources where file_id = files.id
      union all select session_id from event_files where file_id = files.id
    ) as use join sessions on sessions.id = session_id
    where terminated_at is null and archived_at is null
  )`;
