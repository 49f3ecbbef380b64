import { entriesLeftOut, LogCopy, type LogEntry } from "@berth/agent";
import type { Queryable } from "../db/statement.ts";
import { type EventRow, logEntry } from "./event-row.ts";

/** Approximate maximum size, in bytes, of a statement's result. It returns at least one event. */
const PAGE_BYTES = 1024 * 1024;
const PAGE_ROWS = 1000;
/** Maximum number of bytes that are read of a log: several times what can be sent to a model. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Reads what a run needs of a session's log: everything since the last compaction, and what that refers to.
 * Where this is too large, it reads from the end of a turn, late enough to fit, after which no call waits for
 * a client. Waiting messages are left out; a run gets each when it takes it.
 * @param maxBytes Default: 64 MiB.
 */
export async function readLogCopy(db: Queryable, sessionId: string, maxBytes = MAX_BYTES): Promise<LogCopy> {
  const begin = await beginOf(db, sessionId, maxBytes);
  const { from } = begin;
  const kept = begin.isCut ? [entriesLeftOut(from)] : await messageAt(db, sessionId, begin.message);
  return new LogCopy(await readRunLog(db, sessionId, from), { from, kept });
}

/** Returns the entries after `afterSeq`, in order, without waiting messages. */
export async function readRunLog(db: Queryable, sessionId: string, afterSeq: number): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for (let after: number | undefined = afterSeq; after !== undefined; ) {
    const { rows }: { rows: EventRow[] } = await db.query<EventRow>({
      name: "read_run_log",
      text: `
        select seq, id, type, body, memo, created_at, processed_at
        from (
          select *, sum(octet_length(body)) over (order by seq) - octet_length(body) as bytes_before
          from (
            select seq, id, type, body, memo, created_at, processed_at from events
            where session_id = $1 and seq > $2 and ${IS_KNOWN} order by seq limit $3
          ) as page
        ) as measured
        where bytes_before < ${PAGE_BYTES} order by seq`,
      values: [sessionId, after, PAGE_ROWS],
    });
    for (const row of rows) entries.push(logEntry(row));
    after = isLastPage(rows) ? undefined : rows.at(-1)?.seq;
  }
  return entries;
}

const IS_KNOWN = "(processed_at is not null or type not in ('user.message', 'system.message'))";

/** SQL condition for events of the agent itself, not of a call's own loop. */
const IS_OWN = "body::json ->> 'parent_tool_use_id' is null";

/** Returns whether no page follows, which is so when the page is not full. */
function isLastPage(rows: readonly EventRow[]): boolean {
  if (rows.length === PAGE_ROWS) return false;
  return rows.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0) < PAGE_BYTES;
}

interface Begin {
  /** The last `seq` that is not read. */
  from: number;
  /** `seq` of the newest message up to `from`; null when there is none. */
  message: number | null;
  /** Whether earlier entries are left out for their size, without a compaction in their place. */
  isCut: boolean;
}

/**
 * Finds where to begin reading. A compaction comes after the start of a request, which took the newest
 * message.
 */
async function beginOf(db: Queryable, sessionId: string, maxBytes: number): Promise<Begin> {
  const { rows } = await db.query<Begin>({
    name: "begin_of_run_log",
    text: `
      with compacted as (
        select coalesce((
          select seq from events where session_id = $1 and type = 'agent.context_compacted' and ${IS_OWN}
          order by seq desc limit 1
        ), 0) as seq
      ), begin as (
        select coalesce((
          select events.seq - 1 from events, compacted
          where session_id = $1 and type = 'span.model_request_start' and events.seq < compacted.seq
          order by events.seq desc limit 1
        ), 0) as seq
      ), measured as (
        select events.seq, sum(octet_length(body)) over (order by events.seq desc) as bytes_from,
          case type when 'session.status_idle' then body::json #>> '{stop_reason,type}' end as stop
        from events, begin where session_id = $1 and events.seq > begin.seq and ${IS_KNOWN}
      ), cut as (
        select min(seq) as seq from measured
        where (select max(bytes_from) from measured) > $2 and stop <> 'requires_action' and bytes_from <= $2
      )
      select coalesce(cut.seq, begin.seq) as "from", cut.seq is not null as "isCut", (
        select seq from events
        where session_id = $1 and type = 'user.message' and seq <= begin.seq and processed_at is not null
        order by seq desc limit 1
      ) as message
      from begin, cut`,
    values: [sessionId, maxBytes],
  });
  return rows[0] ?? { from: 0, message: null, isCut: false };
}

async function messageAt(db: Queryable, sessionId: string, seq: number | null): Promise<LogEntry[]> {
  if (seq === null) return [];
  const { rows } = await db.query<EventRow>({
    name: "event_at",
    text: "select seq, id, type, body, memo, created_at, processed_at from events where session_id = $1 and seq = $2",
    values: [sessionId, seq],
  });
  return rows.map(logEntry);
}
