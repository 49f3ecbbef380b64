import type { LogEntry } from "@berth/agent";
import { CALL_REPLY_TYPES, formatId, uuidMillisecond } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { type EventRow, eventJson, logEntry } from "./event-row.ts";

/** An event as a follower gets it: `id` as the API names it, `json` the whole event as it answers it. */
export interface StreamedEvent {
  seq: number;
  id: string;
  type: string;
  json: string;
}

/** An answer holds about so many bytes at most, but one event at least. */
const PAGE_BYTES = 1024 * 1024;

/**
 * The events after `afterSeq`, in order, up to `limit` and about 1 MiB. Fewer than there are may come; none come only
 * when there are none.
 */
export async function readEvents(
  db: Queryable,
  sessionId: string,
  afterSeq: number,
  limit: number,
): Promise<StreamedEvent[]> {
  const rows = await eventRows(db, sessionId, afterSeq, limit);
  return rows.map((row) => ({
    seq: row.seq,
    id: formatId("event", row.id),
    type: row.type,
    json: eventJson(row),
  }));
}

/** The whole log, in order. */
export async function readLog(db: Queryable, sessionId: string): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for (;;) {
    const rows = await eventRows(db, sessionId, entries.length, 1000);
    if (rows.length === 0) return entries;
    for (const row of rows) entries.push(logEntry(row));
  }
}

/** The place of an event in the log of its session; null when it is not one of this session's. */
export async function seqOfEvent(
  db: Queryable,
  sessionId: string,
  eventUuid: string,
): Promise<number | null> {
  const { rows } = await db.query<{ seq: number }>({
    name: "seq_of_event",
    text: "select seq from events where session_id = $1 and id = $2",
    values: [sessionId, eventUuid],
  });
  return rows[0]?.seq ?? null;
}

export interface LogEnd {
  /** Of its last event; 0 before the first. */
  lastSeq: number;
  /** Nobody reads the session any more, or it was never there. */
  deleted: boolean;
}

export async function logEnd(db: Queryable, sessionId: string): Promise<LogEnd> {
  const { rows } = await db.query<LogEnd>({
    name: "log_end",
    text: `select last_seq as "lastSeq", deleted_at is not null as deleted from sessions where id = $1`,
    values: [sessionId],
  });
  return rows[0] ?? { lastSeq: 0, deleted: true };
}

/** When the model was first asked in this session, in milliseconds since 1970; null when it was not yet. */
export async function firstRequestAt(db: Queryable, sessionId: string): Promise<number | null> {
  const { rows } = await db.query<{ id: string }>({
    name: "first_request",
    text: `
      select id from events
      where session_id = $1 and type = 'span.model_request_start' order by seq limit 1`,
    values: [sessionId],
  });
  return rows[0] === undefined ? null : uuidMillisecond(rows[0].id);
}

/** What waits to be processed. */
export interface Waiting {
  /** Confirmations and results, which a run takes up at once. */
  answers: boolean;
  /** The last turn ended because calls wait for a client: no message is answered before they are. */
  requiresAction: boolean;
  /** For the next request of the model. */
  messages: boolean;
  /** For the run. */
  interrupts: boolean;
  /** Messages that were sent before an interrupt that waits. */
  interruptedMessages: boolean;
}

export async function waitingInputs(db: Queryable, sessionId: string): Promise<Waiting> {
  const { rows } = await db.query<Waiting>({
    name: "waiting_inputs",
    text: `
      with waiting as (
        select seq, type = 'user.interrupt' as interrupt, type = any($2::text[]) as answer from events
        where session_id = $1 and processed_at is null and type <> 'system.message'
      )
      select
        exists (select from waiting where answer) as answers,
        coalesce((
          select body::json #>> '{stop_reason,type}' = 'requires_action' from events
          where session_id = $1 and type = 'session.status_idle' order by seq desc limit 1
        ), false) as "requiresAction",
        exists (select from waiting where not interrupt and not answer) as messages,
        exists (select from waiting where interrupt) as interrupts,
        exists (
          select from waiting
          where not interrupt and seq < (select max(seq) from waiting where interrupt)
        ) as "interruptedMessages"`,
    values: [sessionId, CALL_REPLY_TYPES],
  });
  return rows[0] ?? nothingWaits;
}

const nothingWaits: Waiting = {
  answers: false,
  requiresAction: false,
  messages: false,
  interrupts: false,
  interruptedMessages: false,
};

/** Whether a session that does not run has something to do. */
export function asksForTurn({ answers, messages, interrupts, requiresAction }: Waiting): boolean {
  return answers || interrupts || (messages && !requiresAction);
}

async function eventRows(
  db: Queryable,
  sessionId: string,
  afterSeq: number,
  limit: number,
): Promise<EventRow[]> {
  const { rows } = await db.query<EventRow>({
    name: "read_events",
    text: `
      select seq, id, type, body, memo, processed_at
      from (
        select *, sum(octet_length(body)) over (order by seq) - octet_length(body) as bytes_before
        from (
          select seq, id, type, body, memo, processed_at from events
          where session_id = $1 and seq > $2 order by seq limit $3
        ) as page
      ) as measured
      where bytes_before < ${PAGE_BYTES}
      order by seq`,
    values: [sessionId, afterSeq, limit],
  });
  return rows;
}
