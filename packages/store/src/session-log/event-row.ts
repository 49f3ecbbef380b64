import type { Draft, LogEntry, Memo } from "@berth/agent";
import {
  formatId,
  type ModelUsage,
  type NewEvent,
  NO_USAGE,
  newUuid,
  parseId,
  type SessionEvent,
} from "@berth/contract";

/**
 * A row of `events`. `body` contains the event's own fields as JSON text, `memo` the agent loop's notes on
 * it.
 */
export interface EventRow {
  seq: number;
  id: string;
  type: string;
  body: string;
  memo: string | null;
  /** Time by the database's clock, never earlier than that of the previous event. */
  created_at: Date;
  processed_at: Date | null;
}

type ShownRow = Pick<EventRow, "id" | "type" | "body" | "created_at" | "processed_at">;

/** An event ready to be stored; `id` is a uuid. */
export type NewEventRow = Pick<EventRow, "id" | "type" | "body" | "memo">;

/**
 * Returns the row of a draft. An `id` of the draft must be an event id.
 * @throws TypeError when it is not.
 */
export function newEventRow(draft: Draft): NewEventRow {
  const { type, ...fields } = draft.event;
  return {
    id: draft.id === undefined ? newUuid() : eventUuid(draft.id),
    type,
    body: JSON.stringify(fields),
    memo: draft.memo === undefined ? null : JSON.stringify(draft.memo),
  };
}

/** Returns the columns of new events as parameters of a statement: ids, types, bodies and memos. */
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

/** Returns the event as JSON, composed from the stored text without parsing it. */
export function eventJson(row: ShownRow): string {
  const { id, type, created_at, processed_at } = envelope(row);
  const head = `{"id":"${id}","type":"${type}","created_at":"${created_at}"`;
  const tail = `"processed_at":${processed_at === null ? "null" : `"${processed_at}"`}}`;
  return row.body === "{}" ? `${head},${tail}` : `${head},${row.body.slice(1, -1)},${tail}`;
}

/** Returns the event as an object of the API. */
export function sessionEvent(row: ShownRow): SessionEvent {
  const { processed_at, ...head } = envelope(row);
  return { ...head, ...(JSON.parse(row.body) as object), processed_at } as SessionEvent;
}

/** Returns the event for the agent loop. */
export function logEntry(row: EventRow): LogEntry {
  const memo = row.memo === null ? null : (JSON.parse(row.memo) as Memo);
  return { seq: row.seq, event: sessionEvent(row), memo };
}

/** Returns the sum of the tokens that these events report. */
export function usageOf(events: readonly NewEvent[]): Record<keyof ModelUsage, number> {
  const sum = { ...NO_USAGE, cache_creation_1h_input_tokens: 0 };
  for (const event of events) {
    if (event.type !== "span.model_request_end" || event.model_usage === null) continue;
    for (const name of Object.keys(sum) as (keyof ModelUsage)[]) sum[name] += event.model_usage[name] ?? 0;
  }
  return sum;
}

function envelope(row: Omit<ShownRow, "body">) {
  const created = row.created_at.getTime();
  return {
    id: formatId("event", row.id),
    type: row.type,
    created_at: new Date(created).toISOString(),
    processed_at:
      row.processed_at === null
        ? null
        : new Date(Math.max(row.processed_at.getTime(), created)).toISOString(),
  };
}

function eventUuid(id: string): string {
  const uuid = parseId("event", id);
  if (uuid === null) throw new TypeError(`'${id}' is not the id of an event.`);
  return uuid;
}
