import {
  budgetInNanodollars,
  type Creator,
  type EventOf,
  type InputEvent,
  type NewEvent,
  parseId,
  type SentEvent,
} from "@berth/contract";
import { type AuditEntry, auditRecord, insertAuditEntries } from "../audit/audit-store.ts";
import type { Queryable } from "../db/statement.ts";
import { repliedCalls } from "./awaited-calls.ts";
import { type EventRow, eventColumns, type NewEventRow, newEventRow } from "./event-row.ts";

/** SQL that ends the active time: adds the time since the session began to run, by the database's clock. */
export const ADD_ACTIVE_TIME = `
  active_ms = active_ms + coalesce(greatest(extract(epoch from now() - running_since) * 1000, 0)::bigint, 0),
  running_since = null`;

/**
 * SQL for the time of events, in the update of a session's row that allocates their `seq`. It is the time
 * after a wait for the row's lock. It is never earlier than that of the previous event, even if the clock was
 * set back.
 */
export const SET_EVENT_TIME = "last_event_at = greatest(last_event_at, clock_timestamp())";

/**
 * The reason why no events were appended. `not_awaited`: they reply to a call that is not awaited.
 * `set_aside`: the session runs no turn. `budget_reached`: a budget has stopped it. `full`: too many bytes of
 * messages wait already.
 */
export type NotAppended =
  | "absent"
  | "archived"
  | "terminated"
  | "not_awaited"
  | "set_aside"
  | "budget_reached"
  | "full";

/** Maximum bytes of messages that no turn has taken, in total. A first message may be larger. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** Returns whether the inputs make the session due. A `system.message` waits for the next model request. */
export function startsWork(inputs: readonly InputEvent[]): boolean {
  return inputs.some(({ type }) => type !== "system.message");
}

/**
 * Appends a client's events, all or none, and makes the session due when they start work. The same statement
 * decides whether the session accepts events and whether each call that they reply to is still awaited. So of
 * two replies to a call, one is accepted. After an interrupt no call is awaited. The caller then publishes to
 * the hub. If the session follows a pull request, its host is asked at once, since a push may come of it. Whoever the events say sent them is one of the session's senders from then on, and has seen it. `traceparent` is the span that the work belongs to, `audit` an entry for the audit log; both
 * default to none.
 * @returns the stored events, which are not processed yet, or the reason why none were appended.
 */
export async function appendInputs(
  db: Queryable,
  sessionId: string,
  inputs: readonly SentEvent[],
  { traceparent = null, audit = null }: { traceparent?: string | null; audit?: AuditEntry | null } = {},
): Promise<EventRow[] | NotAppended> {
  const rows = inputs.map((event) => newEventRow({ event }));
  const { rows: found } = await db.query<{ last_seq: number; created_at: Date }>({
    name: "append_inputs",
    text: `
      with session as (
        update sessions set
          last_seq = last_seq + cardinality($2::uuid[]),
          ${SET_EVENT_TIME},
          pending_at = case when $6 then coalesce(pending_at, now()) else pending_at end,
          traceparent = case when $6 then $8 else traceparent end,
          awaited_calls = case when 'user.interrupt' = any($3::text[]) then '{}'::uuid[]
            else array(select unnest(awaited_calls) except select unnest($7::uuid[])) end,
          sender_ids = ${withSenders("sender_ids", "$11::uuid[]")},
          unseen_by = case when unseen_by && $11::uuid[] then array(select unnest(unseen_by) except select unnest($11::uuid[]))
            else unseen_by end,
          updated_at = now()
        where id = $1 and archived_at is null and terminated_at is null and awaited_calls @> $7::uuid[]
          and ($10::bigint is null or set_aside_at is null and coalesce(budget_stop, 'resumed') = 'resumed'
            and ${waitingBytes("$1")} <= greatest(${MAX_WAITING_BYTES} - $10, 0))
        returning last_seq, last_event_at
      ), appended as (
        insert into events (session_id, seq, id, type, body, memo, created_at)
        select $1, session.last_seq - cardinality($2::uuid[]) + draft.place,
          draft.id, draft.type, draft.body, draft.memo, session.last_event_at
        from session,
          unnest($2::uuid[], $3::text[], $4::text[], $5::text[])
            with ordinality as draft (id, type, body, memo, place)
      ), looked as (
        update session_follows set next_look_at = now(), wait_ms = 0 from session
        where session_id = $1 and $6 and session_follows.status <> 'stopped' and next_look_at > now()
      ), entry as (
        ${insertAuditEntries("given.entry", "(select $9::json as entry from session where $9::json is not null) as given")}
      )
      select last_seq, last_event_at as created_at from session`,
    values: [
      ...[sessionId, ...eventColumns(rows), startsWork(inputs), repliedCalls(inputs), traceparent],
      audit === null ? null : JSON.stringify(auditRecord(audit)),
      messageBytes(rows),
      senderIds(inputs),
    ],
  });
  const [appended] = found;
  if (appended === undefined) return await whyNotAppended(db, sessionId, messageBytes(rows));
  const { last_seq: last, created_at } = appended;
  return rows.map((row, index) => ({
    ...row,
    seq: last - rows.length + index + 1,
    created_at,
    processed_at: null,
  }));
}

/** Returns the uuids of those who sent the events. */
export function senderIds(inputs: readonly Pick<SentEvent, "created_by">[]): string[] {
  const ids = inputs.flatMap(({ created_by: by }) => {
    const id = by === undefined ? null : parseId(by.type, by.id);
    return id === null ? [] : [id];
  });
  return [...new Set(ids)];
}

/** SQL for an array of senders with further ones; the same array if it has them. */
function withSenders(array: string, more: string): string {
  return `case when ${array} @> ${more} then ${array} else array(select unnest(${array}) union select unnest(${more})) end`;
}

/** Appends an event of the service itself, which is processed. The caller has locked the session's row. */
export async function appendEvent(
  tx: Queryable,
  sessionId: string,
  event: NewEvent & { created_by?: Creator },
): Promise<void> {
  const row = newEventRow({ event });
  await tx.query({
    name: "append_event",
    text: `
      with session as (
        update sessions set
          last_seq = last_seq + 1,
          ${SET_EVENT_TIME},
          sender_ids = ${withSenders("sender_ids", "$5::uuid[]")},
          updated_at = now()
        where id = $1
        returning last_seq, last_event_at
      )
      insert into events (session_id, seq, id, type, body, created_at, processed_at)
      select $1, session.last_seq, $2::uuid, $3::text, $4::text, last_event_at, last_event_at from session`,
    values: [sessionId, row.id, row.type, row.body, senderIds([event])],
  });
}

/**
 * Terminates a session and appends `session.status_terminated`, after which no run can append. It makes the
 * session due, so that the worker that holds it, or the next one that claims it, removes its sandbox and
 * disk.
 * @returns false when it is already terminated or does not exist.
 */
export async function appendTerminated(db: Queryable, sessionId: string): Promise<boolean> {
  const row = newEventRow({ event: { type: "session.status_terminated" } });
  const { rows } = await db.query({
    name: "append_terminated",
    text: `
      with session as (
        update sessions set
          last_seq = last_seq + 1,
          ${SET_EVENT_TIME},
          status = 'terminated',
          terminated_at = now(),
          last_turn_outcome = case when running_since is null then last_turn_outcome else 'terminated' end,
          last_turn_ended_at = case when running_since is null then last_turn_ended_at else now() end,
          ${ADD_ACTIVE_TIME},
          pending_at = coalesce(pending_at, now()),
          updated_at = now()
        where id = $1 and terminated_at is null
        returning last_seq, last_event_at
      ), taken as (
        update events set processed_at = last_event_at from session
        where session_id = $1 and processed_at is null
      ), appended as (
        insert into events (session_id, seq, id, type, body, created_at, processed_at)
        select $1, session.last_seq, $2::uuid, $3::text, $4::text, last_event_at, last_event_at from session
      )
      select last_seq from session`,
    values: [sessionId, row.id, row.type, row.body],
  });
  return rows.length === 1;
}

/** New values of a session's changed fields. */
export type SessionChange = Pick<
  EventOf<"session.updated">,
  "title" | "metadata" | "git_identity" | "budget"
>;

/**
 * Stores new values and appends `session.updated` with them. A session that a budget stopped becomes due with
 * a new budget. The caller has locked the session's row.
 */
export async function appendUpdated(tx: Queryable, sessionId: string, change: SessionChange): Promise<void> {
  const row = newEventRow({ event: { type: "session.updated", ...change } });
  await tx.query({
    name: "append_updated",
    text: `
      with session as (
        update sessions set
          last_seq = last_seq + 1,
          ${SET_EVENT_TIME},
          title = coalesce($5, title),
          metadata = coalesce($6, metadata),
          git_identity = case when $7::boolean then $8::jsonb else git_identity end,
          budget_nano = case when $9::boolean then $10::bigint else budget_nano end,
          pending_at = case when $9 and budget_stop is not null then coalesce(pending_at, now()) else pending_at end,
          budget_retry_at = case when $9 then null else budget_retry_at end,
          budget_stop = case when $9 and budget_stop is not null then 'resumed' else budget_stop end,
          updated_at = now()
        where id = $1
        returning last_seq, last_event_at
      )
      insert into events (session_id, seq, id, type, body, created_at, processed_at)
      select $1, session.last_seq, $2::uuid, $3::text, $4::text, last_event_at, last_event_at from session`,
    values: [
      sessionId,
      row.id,
      row.type,
      row.body,
      change.title ?? null,
      change.metadata ?? null,
      change.git_identity !== undefined,
      change.git_identity ?? null,
      change.budget !== undefined,
      change.budget == null ? null : budgetInNanodollars(change.budget),
    ],
  });
}

/**
 * Reads the reason why nothing was appended. The states that end a session are permanent, so reading them
 * later gives the same reason. The others may have ended in between. Without any reason, it
 * returns `not_awaited`.
 */
async function whyNotAppended(db: Queryable, sessionId: string, bytes: number | null): Promise<NotAppended> {
  const { rows } = await db.query<{
    terminated: boolean;
    archived: boolean;
    setAside: boolean;
    stopped: boolean;
    full: boolean;
  }>({
    name: "refusal_of_inputs",
    text: `
      select terminated_at is not null as terminated, archived_at is not null as archived,
        set_aside_at is not null and $2::bigint is not null as "setAside",
        coalesce(budget_stop, 'resumed') <> 'resumed' and $2::bigint is not null as stopped,
        coalesce(${waitingBytes("$1")} > ${MAX_WAITING_BYTES} - $2::bigint, false) as full
      from sessions where id = $1 and deleted_at is null`,
    values: [sessionId, bytes],
  });
  if (rows[0] === undefined) return "absent";
  if (rows[0].terminated) return "terminated";
  if (rows[0].archived) return "archived";
  if (rows[0].setAside) return "set_aside";
  if (rows[0].stopped) return "budget_reached";
  return rows[0].full ? "full" : "not_awaited";
}

/** Returns SQL for the bytes of a session's waiting messages. */
function waitingBytes(session: string): string {
  return `(
    select coalesce(sum(octet_length(body)), 0) from events
    where session_id = ${session} and processed_at is null and type in ('user.message', 'system.message')
  )`;
}

/**
 * Returns the bytes of the messages, or null when there is none. Inputs that end or continue a turn are never
 * rejected for their size.
 */
function messageBytes(rows: readonly NewEventRow[]): number | null {
  const messages = rows.filter(({ type }) => type === "user.message" || type === "system.message");
  if (messages.length === 0) return null;
  return messages.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
}
