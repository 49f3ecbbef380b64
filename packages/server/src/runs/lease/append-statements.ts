import { STOP_THE_CLOCK } from "../../features/events/append-by-client.ts";

/** The statements by which a run appends, by what becomes of its session besides; see `append-by-run`. */
export const appendStatements = {
  append: appendStatement(
    ", status = case when 'session.status_rescheduled' = any($5::text[]) then 'rescheduling' else status end",
  ),
  running: appendStatement(
    ", status = 'running', running_since = coalesce(running_since, now()), updated_at = now()",
  ),
  reclaimed: appendStatement(
    ", disk_host = null, workspace_uid = null, outputs_due = false",
    `, absent as (
      update session_resources set ready_at = null, template_id = null
      from session where session_id = $1 and (ready_at is not null or template_id is not null)
    )`,
  ),
  idle: appendStatement(
    `, status = 'idle', ${STOP_THE_CLOCK}, updated_at = now()`,
    `, interrupted as (
      update events set processed_at = now()
      from session
      where session_id = $1 and events.processed_at is null and seq <= (
        select max(seq) from events
        where session_id = $1 and processed_at is null and type = 'user.interrupt'
      )
    )`,
  ),
};

/**
 * $1 session, $2 owner, $3 epoch, $4 to $7 columns of the events, $8 to $11 tokens, $12 calls that from now on wait for a
 * client, $13 calls that do not any more.
 */
function appendStatement(status: string, also = ""): string {
  return `
    with session as (
      update sessions set
        last_seq = last_seq + cardinality($4::uuid[]),
        input_tokens = input_tokens + $8,
        output_tokens = output_tokens + $9,
        cache_read_input_tokens = cache_read_input_tokens + $10,
        cache_creation_input_tokens = cache_creation_input_tokens + $11,
        awaited_calls = array(select unnest(awaited_calls) except select unnest($13::uuid[])) || $12::uuid[]
        ${status}
      where id = $1 and lease_owner = $2 and lease_epoch = $3 and terminated_at is null
      returning last_seq
    )${also}, appended as (
      insert into events (session_id, seq, id, type, body, memo, processed_at)
      select $1, session.last_seq - cardinality($4::uuid[]) + draft.place,
        draft.id, draft.type, draft.body, draft.memo, now()
      from session,
        unnest($4::uuid[], $5::text[], $6::text[], $7::text[])
          with ordinality as draft (id, type, body, memo, place)
    )
    select last_seq, now() as processed_at from session`;
}
