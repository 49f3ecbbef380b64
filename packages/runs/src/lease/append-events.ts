import { type Draft, LeaseLost, type LogEntry, parentCallOf } from "@berth/agent";
import { CALL_REPLY_TYPES, type EventOf } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { HELD, type Lease, leaseValues, savedDisk } from "@berth/store/leases";
import {
  ADD_ACTIVE_TIME,
  type EventRow,
  eventColumns,
  logEntry,
  newAwaitedCalls,
  newEventRow,
  resolvedCalls,
  SET_EVENT_TIME,
  usageOf,
} from "@berth/store/session-log";
import { SUMMARY_BEGUN } from "./claim-summaries.ts";
import { COUNT_COMPACTIONS, compactionValues } from "./count-compactions.ts";
import { COUNT_EXPLORED, exploredValues } from "./count-explored.ts";
import { type Charge, NO_CHARGE } from "./request-charges.ts";

/** The result of an append by a run. */
export interface RunAppend {
  entries: LogEntry[];
  /** Whether the session has become due since the run last cleared `pending_at`. */
  isDue: boolean;
}

/**
 * Appends for the run that holds the lease: all or none, durably. `seq` is allocated under the lock of the
 * session's row, so that its order is the order of commits. The same statement checks the lease. It adds the
 * tokens that the events report to the session's usage, and their cost, and counts what compactions saved.
 *
 * @throws LeaseLost when another process has the session, or when it is terminated.
 */
export async function appendByRun(
  db: Queryable,
  lease: Lease,
  drafts: readonly Draft[],
  { nano, reserved, unknown }: Charge = NO_CHARGE,
): Promise<RunAppend> {
  const values = [
    endsWait(drafts),
    ...compactionValues(drafts),
    ...exploredValues(drafts),
    hourCached(drafts),
    nano,
  ];
  if (reserved.length === 0)
    return await append(db, "append_by_run", STATEMENTS.append, lease, drafts, values);
  const more = [...values, reserved, unknown];
  return await append(db, "append_and_charge", STATEMENTS.charge, lease, drafts, more);
}

/** Returns whether the events end the wait of a session that is rescheduled. */
function endsWait(drafts: readonly Draft[]): boolean {
  return drafts.some(
    ({ event }) =>
      (event.type === "span.model_request_end" && parentCallOf(event) === null) ||
      (event.type === "session.container_started" && event.waited_seconds !== undefined),
  );
}

/** Appends `session.status_running` as `appendByRun` does, and sets the session running. */
export async function appendRunning(db: Queryable, lease: Lease): Promise<RunAppend> {
  const drafts: Draft[] = [{ event: { type: "session.status_running" } }];
  return await append(db, "append_running", STATEMENTS.running, lease, drafts);
}

/**
 * Appends as `appendByRun` does, and sets the session idle. Adds the time since it began to run to
 * `active_ms`, and stores the turn's outcome in the session's row, also which budget stopped it.
 *
 * Marks waiting interrupts as processed, and with them every input before the last one, since an interrupt
 * cancels everything that was sent before it. If calls wait for a client, interrupts keep waiting, because
 * they are to end the calls.
 *
 * @param summaryInMs milliseconds until the history is to be summarised, if nothing comes before. Default:
 * null, no summary.
 */
export async function appendIdle(
  db: Queryable,
  lease: Lease,
  drafts: readonly Draft[],
  summaryInMs: number | null = null,
): Promise<RunAppend> {
  const ended = drafts.map(({ event }) => event).findLast((event) => event.type === "session.status_idle");
  const outcome = ended?.stop_reason.type ?? null;
  const scope = ended?.stop_reason.type === "budget_reached" ? ended.stop_reason.scope : null;
  const more = [
    outcome !== "requires_action",
    outcome,
    summaryInMs,
    scope,
    scope !== null && scope !== "session",
  ];
  return await append(db, "append_idle", STATEMENTS.idle, lease, drafts, more);
}

/**
 * Appends the start of a summary as `appendByRun` does. Returns null, having appended nothing, unless the
 * session is idle with nothing waiting and no summary was begun in this pause.
 */
export async function appendSummaryStart(
  db: Queryable,
  lease: Lease,
  drafts: readonly Draft[],
): Promise<RunAppend | null> {
  return await appendIf(db, "append_summary_start", STATEMENTS.summaryStart, lease, drafts);
}

/**
 * Appends `session.container_reclaimed` as `appendByRun` does, and records that the session has no disk and
 * nothing in place. The caller removes the disk afterwards, or has found that it is lost. After inactivity
 * the save of the workspace is deleted as well.
 */
export async function appendReclaimed(
  db: Queryable,
  lease: Lease,
  reason: EventOf<"session.container_reclaimed">["reason"],
): Promise<RunAppend> {
  const forgets = reason === "inactivity";
  const save = forgets ? null : await savedDisk(db, lease.sessionId);
  const event = { type: "session.container_reclaimed" as const, reason, ...(save !== null && { save }) };
  return await append(db, "append_reclaimed", STATEMENTS.reclaimed, lease, [{ event }], [forgets]);
}

/**
 * Appends as `appendByRun` does. The same statement marks the waiting inputs before it as processed, except
 * interrupts. If messages are too large for one request, it marks only the first ones. Returns those inputs,
 * oldest first, and then what was appended.
 *
 * @throws LeaseLost
 */
export async function appendTakingInputs(
  db: Queryable,
  lease: Lease,
  drafts: readonly Draft[],
): Promise<LogEntry[]> {
  const rows = drafts.map(newEventRow);
  const { rows: entries } = await db.query<EventRow>({
    name: "append_taking_inputs",
    text: `select seq, id, type, body, memo, created_at, processed_at
      from append_taking_inputs($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [
      ...leaseValues(lease),
      ...eventColumns(rows),
      [...usage(drafts), hourCached(drafts), compactionValues(drafts)[0]],
    ],
  });
  if (entries.length === 0) throw new LeaseLost();
  return entries.map(logEntry);
}

/**
 * Marks the clients' waiting replies to calls as processed and returns them, oldest first. Only the run that
 * marked a reply starts what it allows.
 *
 * @throws LeaseLost
 */
export async function takeReplies(db: Queryable, lease: Lease): Promise<LogEntry[]> {
  const { rows } = await db.query<EventRow | { seq: null }>({
    name: "take_answers",
    text: `
      with session as (
        update sessions set updated_at = now()
        where ${HELD} and terminated_at is null
        returning sessions.id
      ), taken as (
        update events set processed_at = greatest(events.created_at, clock_timestamp()) from session
        where events.session_id = session.id and events.processed_at is null and type = any($4::text[])
        returning events.*
      )
      select taken.seq, taken.id, type, body, memo, created_at, processed_at
      from session left join taken on true order by taken.seq`,
    values: [...leaseValues(lease), CALL_REPLY_TYPES],
  });
  if (rows.length === 0) throw new LeaseLost();
  return rows.filter((row) => row.seq !== null).map(logEntry);
}

/** SQL: what an append by a run also changes. The cost of its requests is $28. */
const BY_RUN = `, status = case
      when 'session.status_rescheduled' = any($5::text[]) then 'rescheduling'
      when status = 'rescheduling' and $14::boolean then 'running'
      else status end,
      summary_due_at = case when 'span.model_request_end' = any($5::text[]) then null else summary_due_at end,
      cache_creation_1h_input_tokens = cache_creation_1h_input_tokens + $27::bigint,
      ${COUNT_COMPACTIONS}, ${COUNT_EXPLORED}, list_cost_nano = list_cost_nano + $28::bigint`;

/** The statements by which a run appends, named after what else they change in the session. */
const STATEMENTS = {
  append: appendStatement(BY_RUN),
  // The reservations $29 end. Requests of $30 cost what they reserved.
  charge: appendStatement(
    `${BY_RUN} + coalesce((
        select sum(nano) from spend_reservations where session_id = $1 and request_id = any($30::uuid[])
      ), 0)::bigint`,
    `, charged as (
      delete from spend_reservations using session where session_id = $1 and request_id = any($29::uuid[])
    )`,
  ),
  running: appendStatement(
    ", status = 'running', running_since = coalesce(running_since, now()), budget_stop = null, budget_retry_at = null, updated_at = now()",
  ),
  reclaimed: appendStatement(
    ", home = null, workspace_uid = null, disk = null, outputs_due = false",
    `, absent as (
      update session_resources set ready_at = null, snapshot_id = null
      from session where session_id = $1 and (ready_at is not null or snapshot_id is not null)
    ), unused as (
      delete from disk_usage using session where session_id = $1
    ), unsaved as (
      delete from workspace_saves using session where session_id = $1 and $14
    )`,
  ),
  summaryStart: appendStatement(
    `, summary_due_at = ${SUMMARY_BEGUN}`,
    "",
    `and status = 'idle' and pending_at is null and archived_at is null and summary_due_at > ${SUMMARY_BEGUN}
      and not exists (select from events where session_id = $1 and processed_at is null)`,
  ),
  idle: appendStatement(
    `, status = 'idle', runner_crashes = 0, summary_due_at = now() + $16::double precision * interval '1 millisecond', ${ADD_ACTIVE_TIME}, updated_at = now(),
      budget_stop = coalesce($17::text, budget_stop),
      budget_retry_at = case when $18::boolean then date_trunc('day', now() at time zone 'utc') at time zone 'utc' + interval '1 day'
        else budget_retry_at end,
      last_turn_outcome = coalesce($15::text, last_turn_outcome),
      last_turn_ended_at = case when $15::text is null then last_turn_ended_at else now() end`,
    `, interrupted as (
      update events set processed_at = last_event_at
      from session
      where $14 and session_id = $1 and events.processed_at is null and seq <= (
        select max(seq) from events
        where session_id = $1 and processed_at is null and type = 'user.interrupt'
      )
    )`,
  ),
};

/**
 * Returns a statement that appends, with further SQL of the caller.
 *
 * - $1 to $3: the lease.
 * - $4 to $7: columns of the events.
 * - $8 to $11: tokens.
 * - $12: calls that begin to wait for a client. $13: calls that stop waiting.
 * - $14 and following: parameters of the caller's SQL.
 *
 * @param only further conditions on the session's row.
 */
export function appendStatement(status: string, also = "", only = ""): string {
  return `
    with session as (
      update sessions set
        last_seq = last_seq + cardinality($4::uuid[]),
        ${SET_EVENT_TIME},
        input_tokens = input_tokens + $8,
        output_tokens = output_tokens + $9,
        cache_read_input_tokens = cache_read_input_tokens + $10,
        cache_creation_input_tokens = cache_creation_input_tokens + $11,
        awaited_calls = array(select unnest(awaited_calls) except select unnest($13::uuid[])) || $12::uuid[]
        ${status}
      where ${HELD} and terminated_at is null ${only}
      returning last_seq, last_event_at, pending_at is not null as due
    )${also}, appended as (
      insert into events (session_id, seq, id, type, body, memo, created_at, processed_at)
      select $1, session.last_seq - cardinality($4::uuid[]) + draft.place,
        draft.id, draft.type, draft.body, draft.memo, last_event_at, last_event_at
      from session,
        unnest($4::uuid[], $5::text[], $6::text[], $7::text[])
          with ordinality as draft (id, type, body, memo, place)
    )
    select last_seq, due, last_event_at as created_at from session`;
}

type Appended = { last_seq: number; due: boolean; created_at: Date };

/**
 * Runs an append statement. @param more its values from $14 on. @throws LeaseLost when the statement's
 * conditions do not hold.
 */
export async function append(
  db: Queryable,
  name: string,
  text: string,
  lease: Lease,
  drafts: readonly Draft[],
  more: readonly (string | number | boolean | null | readonly string[])[] = [],
): Promise<RunAppend> {
  const appended = await appendIf(db, name, text, lease, drafts, more);
  if (appended === null) throw new LeaseLost();
  return appended;
}

/** As `append`, but returns null when the statement's conditions do not hold. */
async function appendIf(
  db: Queryable,
  name: string,
  text: string,
  lease: Lease,
  drafts: readonly Draft[],
  more: readonly (string | number | boolean | null | readonly string[])[] = [],
): Promise<RunAppend | null> {
  const rows = drafts.map(newEventRow);
  const awaited = [newAwaitedCalls(drafts, rows), resolvedCalls(drafts)];
  const values = [...leaseValues(lease), ...eventColumns(rows), ...usage(drafts), ...awaited, ...more];
  const appended = (await db.query<Appended>({ name, text, values })).rows[0];
  if (appended === undefined) return null;
  const { last_seq, created_at, due } = appended;
  const before = last_seq - rows.length;
  const entries = rows.map((row, index) =>
    logEntry({ ...row, seq: before + index + 1, created_at, processed_at: created_at }),
  );
  return { entries, isDue: due };
}

/** Returns input, output, cache read and cache creation tokens. */
function usage(drafts: readonly Draft[]): number[] {
  const sum = usageOf(drafts.map((draft) => draft.event));
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = sum;
  return [input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens];
}

/** Returns the tokens that were cached for an hour. */
function hourCached(drafts: readonly Draft[]): number {
  return usageOf(drafts.map(({ event }) => event)).cache_creation_1h_input_tokens;
}
