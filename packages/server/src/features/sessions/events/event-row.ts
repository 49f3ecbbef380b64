import type { Draft, LogEntry, Memo } from "@berth/agent";
import {
  formatId,
  type ModelUsage,
  type NewEvent,
  newUuid,
  parseId,
  type SessionEvent,
  uuidMillisecond,
  uuidTimestamp,
} from "@berth/contract";

/** A row of `events`. `body` holds the event's own fields as JSON text, `memo` the agent loop's notes on it. */
export interface EventRow {
  seq: number;
  id: string;
  type: string;
  body: string;
  memo: string | null;
  processed_at: Date | null;
}

/** An event ready to be stored; `id` is a uuid. */
export type NewEventRow = Pick<EventRow, "id" | "type" | "body" | "memo">;

/** The row of a draft. An `id` of the draft must be an event id. */
export function newEventRow(draft: Draft): NewEventRow {
  const { type, ...fields } = draft.event;
  return {
    id: draft.id === undefined ? newUuid() : eventUuid(draft.id),
    type,
    body: JSON.stringify(fields),
    memo: draft.memo === undefined ? null : JSON.stringify(draft.memo),
  };
}

/** The columns of new events as parameters of a statement: ids, types, bodies and memos. */
export function eventColumns(
  rows: readonly NewEventRow[],
): [string[], string[], string[], (string | null)[]] {
  return [
    rows.map((row) => row.id),
    rows.map((row) => row.type),
    rows.map((row) => row.body),
    rows.map((row) => row.memo),
  ];
}

/** The event as JSON, composed from the stored text without parsing it. */
export function eventJson(row: Pick<EventRow, "id" | "type" | "body" | "processed_at">): string {
  const { id, type, created_at, processed_at } = envelope(row);
  const head = `{"id":"${id}","type":"${type}","created_at":"${created_at}"`;
  const tail = `"processed_at":${processed_at === null ? "null" : `"${processed_at}"`}}`;
  return row.body === "{}" ? `${head},${tail}` : `${head},${row.body.slice(1, -1)},${tail}`;
}

export function sessionEvent(row: Pick<EventRow, "id" | "type" | "body" | "processed_at">): SessionEvent {
  const { processed_at, ...head } = envelope(row);
  return { ...head, ...(JSON.parse(row.body) as object), processed_at } as SessionEvent;
}

/** The event for the agent loop. */
export function logEntry(row: EventRow): LogEntry {
  const memo = row.memo === null ? null : (JSON.parse(row.memo) as Memo);
  return { seq: row.seq, event: sessionEvent(row), memo };
}

/** The tokens that these events report. */
export function usageOf(events: readonly NewEvent[]): ModelUsage {
  const sum = {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
  for (const event of events) {
    if (event.type !== "span.model_request_end" || event.model_usage === null) continue;
    for (const name of Object.keys(sum) as (keyof ModelUsage)[]) sum[name] += event.model_usage[name];
  }
  return sum;
}

function envelope(row: Pick<EventRow, "id" | "type" | "processed_at">) {
  return {
    id: formatId("event", row.id),
    type: row.type,
    created_at: uuidTimestamp(row.id),
    processed_at: row.processed_at === null ? null : processedAt(row.id, row.processed_at),
  };
}

/** Never before `created_at`, which is of this process's clock; `processed_at` is the database's clock at the transaction's start. */
function processedAt(id: string, marked: Date): string {
  return new Date(Math.max(marked.getTime(), uuidMillisecond(id))).toISOString();
}

function eventUuid(id: string): string {
  const uuid = parseId("event", id);
  if (uuid === null) throw new TypeError(`'${id}' is not the id of an event.`);
  return uuid;
}
