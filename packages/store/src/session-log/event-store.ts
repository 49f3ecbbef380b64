import type { LogEntry } from "@berth/agent";
import { type Creator, type EventOf, formatId } from "@berth/contract";
import { assembled, type Condition, condition, joined } from "../db/assembled-statement.ts";
import type { KeysetRange } from "../db/keyset.ts";
import { type MeasuredRow, measured } from "../db/page-bytes.ts";
import type { Queryable } from "../db/statement.ts";
import { type EventRow, eventJson, logEntry } from "./event-row.ts";

/** An event for a follower: `id` is the API id, `json` the whole event as the API returns it. */
export interface StreamedEvent {
  seq: number;
  id: string;
  type: string;
  json: string;
}

/** A page of a log, and the log's end when it was read. */
export interface LogPage extends LogEnd {
  events: StreamedEvent[];
}

/** Approximate maximum size of a read in bytes. It returns at least one event. */
const PAGE_BYTES = 1024 * 1024;
const PAGE_ROWS = 1000;

/**
 * Returns the events after `afterSeq`, in order, up to `limit` and about 1 MiB, and the end of the log, in
 * one statement. It may return fewer events than there are, but none only when there are none.
 */
export async function readPage(
  db: Queryable,
  sessionId: string,
  afterSeq: number,
  limit: number,
): Promise<LogPage> {
  const { rows } = await db.query<(EventRow | { seq: null }) & LogEnd>({
    name: "read_page",
    text: `
      select page.*, coalesce(session.last_seq, 0) as "lastSeq",
        session.id is null or session.deleted_at is not null as deleted
      from (select) as one
        left join sessions session on session.id = $1
        left join lateral (${PAGE}) as page on true
      order by page.seq`,
    values: [sessionId, afterSeq, limit],
  });
  const { lastSeq, deleted } = rows[0] ?? { lastSeq: 0, deleted: true };
  return { lastSeq, deleted, events: rows.flatMap((row) => (row.seq === null ? [] : [streamedEvent(row)])) };
}

function streamedEvent(row: EventRow): StreamedEvent {
  return { seq: row.seq, id: formatId("event", row.id), type: row.type, json: eventJson(row) };
}

/** Returns the log after `afterSeq`, in order. Default: all of it. */
export async function readLog(db: Queryable, sessionId: string, afterSeq = 0): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for (let after = afterSeq; ; ) {
    const rows = await eventRows(db, sessionId, after, PAGE_ROWS);
    for (const row of rows) entries.push(logEntry(row));
    after = rows.at(-1)?.seq ?? after;
    if (isLastPage(rows)) return entries;
  }
}

/** Returns whether no page follows, which is so when the page is not full. */
function isLastPage(rows: readonly EventRow[]): boolean {
  if (rows.length === PAGE_ROWS) return false;
  const bytes = rows.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
  return bytes < PAGE_BYTES;
}

/** Returns the `seq` of an event of this session, or null when the session has no such event. */
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

/**
 * State of the agent's own last model request at a position in the log. `ended` is the id of its start event
 * if it has ended, or null. `stored` has the ids of its messages so far, or once it has ended, of its tool
 * calls that have a result.
 */
export interface RequestAt {
  ended: string | null;
  stored: readonly string[];
}

/** Returns the state of the last model request at `seq`. */
export async function requestAt(db: Queryable, sessionId: string, seq: number): Promise<RequestAt> {
  const { rows } = await db.query<{ id: string; started: string | null; call: string | null }>({
    name: "request_at",
    text: `
      select id, case when type = 'span.model_request_end' then body::json ->> 'model_request_start_id' end as started,
        case when type = 'agent.tool_result' then body::json ->> 'tool_use_id' end as call
      from events
      where session_id = $1 and seq <= $2
        and type in ('span.model_request_start', 'span.model_request_end', 'agent.message', 'agent.thinking',
          'agent.tool_result')
        and seq >= (
          select seq from events
          where session_id = $1 and seq <= $2 and type in ('span.model_request_start', 'span.model_request_end')
            and body::json ->> 'parent_tool_use_id' is null
          order by seq desc limit 1
        )
      order by seq`,
    values: [sessionId, seq],
  });
  const [last, ...later] = rows;
  if (last === undefined) return { ended: null, stored: [] };
  return { ended: last.started, stored: later.map(({ id, call }) => call ?? formatId("event", id)) };
}

export interface LogEnd {
  /** The seq of the last event; 0 before the first. */
  lastSeq: number;
  /** Whether the session is deleted or never existed. */
  deleted: boolean;
}

/** Returns the end of a session's log, without reading events. */
export async function logEnd(db: Queryable, sessionId: string): Promise<LogEnd> {
  const { rows } = await db.query<LogEnd>({
    name: "log_end",
    text: `select last_seq as "lastSeq", deleted_at is not null as deleted from sessions where id = $1`,
    values: [sessionId],
  });
  return rows[0] ?? { lastSeq: 0, deleted: true };
}

/** Returns the time of the session's first model request, in milliseconds since 1970, or null before it. */
export async function firstRequestAt(db: Queryable, sessionId: string): Promise<number | null> {
  const { rows } = await db.query<Pick<EventRow, "created_at">>({
    name: "first_request",
    text: `
      select created_at from events
      where session_id = $1 and type = 'span.model_request_start' order by seq limit 1`,
    values: [sessionId],
  });
  return rows[0]?.created_at.getTime() ?? null;
}

/** SQL that selects the events of session $1 after $2, up to $3 and about `PAGE_BYTES`. */
const PAGE = `
  select seq, id, type, body, memo, created_at, processed_at
  from (
    select *, sum(octet_length(body)) over (order by seq) - octet_length(body) as bytes_before
    from (
      select seq, id, type, body, memo, created_at, processed_at from events
      where session_id = $1 and seq > $2 order by seq limit $3
    ) as page
  ) as measured
  where bytes_before < ${PAGE_BYTES}`;

async function eventRows(
  db: Queryable,
  sessionId: string,
  afterSeq: number,
  limit: number,
): Promise<EventRow[]> {
  const { rows } = await db.query<EventRow>({
    name: "read_events",
    text: `${PAGE} order by seq`,
    values: [sessionId, afterSeq, limit],
  });
  return rows;
}

/** Order and conditions of a list of events; null for no condition. */
export interface EventFilter {
  order: "asc" | "desc";
  types: readonly string[] | null;
  /** Bounds of the time, in milliseconds since 1970: `from` is inclusive, `until` exclusive. */
  from: number | null;
  until: number | null;
}

const SINCE = "(select first_event_since(?::uuid, ?::timestamptz))";

type ListedEvent = Omit<EventRow, "memo"> & MeasuredRow;

/**
 * Returns events of a session, as many as fit a page, in the direction of travel. `older` goes down the list
 * as it is shown, which is the order of the log for `asc` and its reverse for `desc`. An anchor that is not
 * an event of the session is placed by its id.
 */
export async function listEvents(
  db: Queryable,
  sessionId: string,
  range: KeysetRange,
  { order, types, from, until }: EventFilter,
): Promise<ListedEvent[]> {
  const forward = (range.direction === "older") === (order === "asc");
  const conditions = [
    condition("session_id = ?", sessionId),
    ...(range.anchor === null ? [] : [beyondAnchor(sessionId, range.anchor, forward)]),
    ...(types === null ? [] : [condition("type = any(?::text[])", types)]),
    ...(from === null ? [] : [condition(`seq >= ${SINCE}`, sessionId, new Date(from))]),
    ...(until === null ? [] : [condition(`seq < ${SINCE}`, sessionId, new Date(until))]),
  ];
  const select = condition("select seq, id, type, body, created_at, processed_at from events where");
  const bySeq = `seq ${forward ? "asc" : "desc"}`;
  const ordered = condition(`order by ${bySeq} limit ?`, range.rows);
  const page = joined([select, joined(conditions, " and "), ordered], " ");
  return (await db.query<ListedEvent>(assembled([measured(page, "octet_length(body)", bySeq)]))).rows;
}

function beyondAnchor(sessionId: string, anchor: string, forward: boolean): Condition {
  const text = `seq ${forward ? ">" : "<"} coalesce(
    (select seq from events where session_id = ? and id = ?::uuid),
    (select max(seq) from events where session_id = ? and id < ?::uuid) ${forward ? "" : "+ 1"},
    ${forward ? "0" : "1"})`;
  return condition(text, sessionId, anchor, sessionId, anchor);
}

/**
 * Stores that messages of a session refer to files, which prevents the deletion of the files while the
 * session is active.
 */
export async function insertEventFiles(
  tx: Queryable,
  sessionId: string,
  fileIds: readonly string[],
): Promise<void> {
  await tx.query({
    name: "insert_event_files",
    text: `
      insert into event_files (session_id, file_id) select $1, unnest($2::uuid[])
      on conflict do nothing`,
    values: [sessionId, fileIds],
  });
}

/** An event that announces a call. `id` is its uuid, `permission` the evaluated permission. */
export interface AnnouncedCall {
  id: string;
  type: string;
  name: string;
  /** The MCP server that has the tool; null for other tools. */
  server: string | null;
  permission: string | null;
  /** The rule that allowed the call; null for none. */
  rule: EventOf<"agent.tool_use">["confirmation_rule"] | null;
  at: Date;
}

/** Returns the events that are calls of the session's agent, by uuid. */
export async function announcedCalls(
  db: Queryable,
  sessionId: string,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, AnnouncedCall>> {
  const { rows } = await db.query<AnnouncedCall>({
    name: "announced_calls",
    text: `
      select id, type, body::json ->> 'name' as name, body::json ->> 'mcp_server_name' as server,
        body::json ->> 'evaluated_permission' as permission, body::json -> 'confirmation_rule' as rule, created_at as at
      from events
      where session_id = $1 and id = any($2::uuid[])
        and type in ('agent.tool_use', 'agent.mcp_tool_use', 'agent.custom_tool_use')`,
    values: [sessionId, uuids],
  });
  return new Map(rows.map((call) => [call.id, call]));
}

/** What ended the wait of a call: its reply, or an interrupt. Events of version 0.1 have no creator's name. */
export interface FirstReply {
  type: "user.tool_confirmation" | "user.custom_tool_result" | "user.interrupt";
  result: "allow" | "deny" | null;
  by: Pick<Creator, "id" | "name"> | null;
  at: Date;
}

/** Returns the first reply to a call, or the interrupt that ended it; null if there is neither. */
export async function firstReply(
  db: Queryable,
  sessionId: string,
  callUuid: string,
): Promise<FirstReply | null> {
  const { rows } = await db.query<FirstReply>({
    name: "first_reply",
    text: `
      select type, body::json ->> 'result' as result, created_at as at,
        coalesce(body::json -> 'created_by', body::json -> 'sent_by') as by
      from events
      where session_id = $1 and seq > (select seq from events where session_id = $1 and id = $2)
        and case type
          when 'user.interrupt' then true
          when 'user.tool_confirmation' then body::json ->> 'tool_use_id' = $3
          when 'user.custom_tool_result' then body::json ->> 'custom_tool_use_id' = $3
        end
      order by seq limit 1`,
    values: [sessionId, callUuid, formatId("event", callUuid)],
  });
  return rows[0] ?? null;
}

/** Returns the uuids of the calls that await a client's reply. */
export async function awaitedCalls(db: Queryable, sessionId: string): Promise<readonly string[]> {
  const { rows } = await db.query<{ awaited_calls: string[] }>({
    name: "awaited_calls",
    text: "select awaited_calls from sessions where id = $1",
    values: [sessionId],
  });
  return rows[0]?.awaited_calls ?? [];
}
