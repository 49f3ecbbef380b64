import type { EventOf, InputEvent } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { answeredByClient } from "./awaited-calls.ts";
import { type EventRow, eventColumns, newEventRow } from "./event-row.ts";

/** Adds the time since the session began to run, by the clock of the database. */
export const STOP_THE_CLOCK = `
  active_ms = active_ms + coalesce(greatest(extract(epoch from now() - running_since) * 1000, 0)::bigint, 0),
  running_since = null`;

/** Why a session took no events; `answered`: a call does not wait, or not any more. */
export type Refusal = "absent" | "archived" | "terminated" | "answered";

/** Whether the agent has something to do at once: what the operator tells it waits for the next request. */
export function startsWork(inputs: readonly InputEvent[]): boolean {
  return inputs.some(({ type }) => type !== "system.message");
}

/**
 * Appends what a client sends, all or none, and makes the session due when there is work in it. Whether the session
 * takes events, and whether each call that they answer still waits, is decided in the same statement: of two answers to a
 * call one is taken. No call waits after an interrupt. The caller tells the hub afterwards.
 *
 * @returns the stored events, which wait to be processed, or why there are none.
 */
export async function appendInputs(
  db: Queryable,
  sessionId: string,
  inputs: readonly InputEvent[],
): Promise<EventRow[] | Refusal> {
  const rows = inputs.map((event) => newEventRow({ event }));
  const { rows: found } = await db.query<{ last_seq: number }>({
    name: "append_inputs",
    text: `
      with session as (
        update sessions set
          last_seq = last_seq + cardinality($2::uuid[]),
          pending_at = case when $6 then coalesce(pending_at, now()) else pending_at end,
          awaited_calls = case when 'user.interrupt' = any($3::text[]) then '{}'::uuid[]
            else array(select unnest(awaited_calls) except select unnest($7::uuid[])) end,
          updated_at = now()
        where id = $1 and archived_at is null and terminated_at is null and awaited_calls @> $7::uuid[]
        returning last_seq
      ), appended as (
        insert into events (session_id, seq, id, type, body, memo)
        select $1, session.last_seq - cardinality($2::uuid[]) + draft.place,
          draft.id, draft.type, draft.body, draft.memo
        from session,
          unnest($2::uuid[], $3::text[], $4::text[], $5::text[])
            with ordinality as draft (id, type, body, memo, place)
      )
      select last_seq from session`,
    values: [sessionId, ...eventColumns(rows), startsWork(inputs), answeredByClient(inputs)],
  });
  const last = found[0]?.last_seq;
  if (last === undefined) return await refusal(db, sessionId);
  return rows.map((row, index) => ({
    ...row,
    seq: last - rows.length + index + 1,
    processed_at: null,
  }));
}

/**
 * Terminates a session for good and appends `session.status_terminated`, after which no run can append. The session is
 * made due, so that whoever holds its sandbox and disk, or the next to claim it, clears them away.
 *
 * @returns false when it is terminated already, or absent.
 */
export async function appendTerminated(db: Queryable, sessionId: string): Promise<boolean> {
  const row = newEventRow({ event: { type: "session.status_terminated" } });
  const { rows } = await db.query({
    name: "append_terminated",
    text: `
      with session as (
        update sessions set
          last_seq = last_seq + 1,
          status = 'terminated',
          terminated_at = now(),
          ${STOP_THE_CLOCK},
          pending_at = coalesce(pending_at, now()),
          updated_at = now()
        where id = $1 and terminated_at is null
        returning last_seq
      ), taken as (
        update events set processed_at = now() from session
        where session_id = $1 and processed_at is null
      ), appended as (
        insert into events (session_id, seq, id, type, body, processed_at)
        select $1, session.last_seq, $2::uuid, $3::text, $4::text, now() from session
      )
      select last_seq from session`,
    values: [sessionId, row.id, row.type, row.body],
  });
  return rows.length === 1;
}

/** What is different in a session: the new values. */
export type SessionChange = Pick<EventOf<"session.updated">, "title" | "metadata">;

/** Stores new values and appends `session.updated`, which names them. The caller holds the session's row. */
export async function appendUpdated(tx: Queryable, sessionId: string, change: SessionChange): Promise<void> {
  const row = newEventRow({ event: { type: "session.updated", ...change } });
  await tx.query({
    name: "append_updated",
    text: `
      with session as (
        update sessions set
          last_seq = last_seq + 1,
          title = coalesce($5, title),
          metadata = coalesce($6, metadata),
          updated_at = now()
        where id = $1
        returning last_seq
      )
      insert into events (session_id, seq, id, type, body, processed_at)
      select $1, session.last_seq, $2::uuid, $3::text, $4::text, now() from session`,
    values: [sessionId, row.id, row.type, row.body, change.title ?? null, change.metadata ?? null],
  });
}

/** All these states are for good, so that the reason read now is the reason of then; if it is none of them, a call did not wait. */
async function refusal(db: Queryable, sessionId: string): Promise<Refusal> {
  const { rows } = await db.query<{ terminated: boolean; archived: boolean }>({
    name: "refusal_of_inputs",
    text: `
      select terminated_at is not null as terminated, archived_at is not null as archived
      from sessions where id = $1 and deleted_at is null`,
    values: [sessionId],
  });
  if (rows[0] === undefined) return "absent";
  if (rows[0].terminated) return "terminated";
  return rows[0].archived ? "archived" : "answered";
}
