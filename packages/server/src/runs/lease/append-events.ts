import type { Draft, LogEntry } from "@berth/agent";
import { LeaseLost } from "@berth/agent";
import { CALL_REPLY_TYPES, type EventOf } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { announcedWaiting, answeredByRun } from "../../features/events/awaited-calls.ts";
import {
  type EventRow,
  eventColumns,
  logEntry,
  newEventRow,
  usageOf,
} from "../../features/events/event-row.ts";
import { appendStatements } from "./append-statements.ts";
import type { Lease } from "./lease.ts";

/**
 * Appends for the run that holds the lease: all or none, durable when it resolves. `seq` is given out under the lock of
 * the session's row, so its order is the order of commits, and the lease is checked in the same statement.
 * The tokens that the events report are added to the session's usage.
 *
 * @throws LeaseLost when another process has taken the session over, or when it is terminated.
 */
export async function appendByRun(
  db: Queryable,
  lease: Lease,
  drafts: readonly Draft[],
): Promise<LogEntry[]> {
  return await append(db, "append_by_run", appendStatements.append, lease, drafts);
}

/** As `appendByRun`, with `session.status_running`: the session is running from now on. */
export async function appendRunning(db: Queryable, lease: Lease): Promise<LogEntry[]> {
  const drafts: Draft[] = [{ event: { type: "session.status_running" } }];
  return await append(db, "append_running", appendStatements.running, lease, drafts);
}

/**
 * As `appendByRun`, and the session is idle from now on: the time since it began to run is added to `active_ms`, and
 * interrupts are processed, with every input that was sent before the last of them: an interrupt means that nothing
 * sent so far shall be acted on.
 */
export async function appendIdle(db: Queryable, lease: Lease, drafts: readonly Draft[]): Promise<LogEntry[]> {
  return await append(db, "append_idle", appendStatements.idle, lease, drafts);
}

/**
 * As `appendByRun`, with `session.container_reclaimed`: from now on the session has no disk, and nothing is in place on
 * the next one. Under the lease of whoever removes the disk afterwards, or has found it lost.
 */
export async function appendReclaimed(
  db: Queryable,
  lease: Lease,
  reason: EventOf<"session.container_reclaimed">["reason"],
): Promise<LogEntry[]> {
  const drafts: Draft[] = [{ event: { type: "session.container_reclaimed", reason } }];
  return await append(db, "append_reclaimed", appendStatements.reclaimed, lease, drafts);
}

/**
 * As `appendByRun`, and in the same statement marks every waiting input before it as processed, but for interrupts.
 * Resolves with those inputs, oldest first, and then with what was appended.
 */
export async function appendTakingInputs(
  db: Queryable,
  lease: Lease,
  drafts: readonly Draft[],
): Promise<LogEntry[]> {
  const rows = drafts.map(newEventRow);
  const { rows: entries } = await db.query<EventRow>({
    name: "append_taking_inputs",
    text: `select seq, id, type, body, memo, processed_at
      from append_taking_inputs($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [lease.sessionId, lease.owner, lease.epoch, ...eventColumns(rows), usage(drafts)],
  });
  if (entries.length === 0) throw new LeaseLost();
  return entries.map(logEntry);
}

/**
 * Marks the answers of clients that wait as processed, and answers them, oldest first: what they allow is begun by the run
 * that holds the lease, and by no other.
 *
 * @throws LeaseLost
 */
export async function takeAnswers(db: Queryable, lease: Lease): Promise<LogEntry[]> {
  const { rows } = await db.query<EventRow | { seq: null }>({
    name: "take_answers",
    text: `
      with session as (
        update sessions set updated_at = now()
        where id = $1 and lease_owner = $2 and lease_epoch = $3 and terminated_at is null
        returning id
      ), taken as (
        update events set processed_at = now() from session
        where events.session_id = session.id and events.processed_at is null and type = any($4::text[])
        returning events.*
      )
      select taken.seq, taken.id, type, body, memo, processed_at
      from session left join taken on true order by taken.seq`,
    values: [lease.sessionId, lease.owner, lease.epoch, CALL_REPLY_TYPES],
  });
  if (rows.length === 0) throw new LeaseLost();
  return rows.filter((row) => row.seq !== null).map(logEntry);
}

type Place = { last_seq: number; processed_at: Date };

async function append(
  db: Queryable,
  name: string,
  text: string,
  lease: Lease,
  drafts: readonly Draft[],
): Promise<LogEntry[]> {
  const rows = drafts.map(newEventRow);
  const awaited = [announcedWaiting(drafts, rows), answeredByRun(drafts)];
  const values = [
    lease.sessionId,
    lease.owner,
    lease.epoch,
    ...eventColumns(rows),
    ...usage(drafts),
    ...awaited,
  ];
  const place = (await db.query<Place>({ name, text, values })).rows[0];
  if (place === undefined) throw new LeaseLost();
  const before = place.last_seq - rows.length;
  return rows.map((row, index) =>
    logEntry({ ...row, seq: before + index + 1, processed_at: place.processed_at }),
  );
}

/** Input, output, cache read and cache creation tokens. */
function usage(drafts: readonly Draft[]): number[] {
  const sum = usageOf(drafts.map((draft) => draft.event));
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = sum;
  return [input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens];
}
