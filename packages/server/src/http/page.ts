import { formatId, type IdKind, type Page, parseId } from "@berth/contract";
import { createdBounds, type KeysetPlace } from "../db/keyset.ts";
import type { Context } from "./context.ts";
import type { Cursor, CursorScope } from "./cursor.ts";
import { errors } from "./errors.ts";
import { JsonText } from "./json-text.ts";

/** The query that every list has, parsed. */
export interface ListQuery {
  limit: number;
  page?: string | undefined;
  before_id?: string | undefined;
  after_id?: string | undefined;
  "created_at[gt]"?: number | undefined;
  "created_at[gte]"?: number | undefined;
  "created_at[lt]"?: number | undefined;
  "created_at[lte]"?: number | undefined;
}

export interface ListInput {
  params: Record<string, string>;
  query: ListQuery;
}

/** Any list's, also of one without anchors. */
interface CursorInput {
  params: Record<string, string>;
  query: Pick<ListQuery, "limit" | "page" | "before_id" | "after_id">;
}

/** The part of the list that a request asks for. @throws errors.invalid for a cursor of another list or caller. */
export function keysetPlace(context: Context, input: ListInput, kind: IdKind): KeysetPlace {
  const { query } = input;
  const rows = query.limit + 1;
  const bounds = createdBounds(query);
  const cursor = openCursor(context, input);
  if (cursor !== null) {
    return { direction: cursor.direction, anchor: cursor.position, rows, ...bounds };
  }
  if (query.before_id !== undefined) {
    return { direction: "newer", anchor: parseId(kind, query.before_id), rows, ...bounds };
  }
  const anchor = query.after_id === undefined ? null : parseId(kind, query.after_id);
  return { direction: "older", anchor, rows, ...bounds };
}

/** The cursor that a request was given; null without one. @throws errors.invalid for one of another list or caller. */
export function openCursor(context: Context, input: CursorInput): Cursor | null {
  const { page } = input.query;
  if (page === undefined) return null;
  const cursor = context.cursors.open(cursorScope(context, input), page);
  if (cursor !== null) return cursor;
  throw errors.invalid("Field 'page' is not a cursor of this list for this caller.", "page");
}

/**
 * The page of rows that were read from `place`: newest first whatever the direction of travel, `next_page` going on in
 * that direction.
 */
export function pageAnswer<Row extends { id: string }, Item>(
  context: Context,
  input: ListInput,
  place: KeysetPlace,
  kind: IdKind,
  rows: readonly Row[],
  item: (row: Row) => Item,
): Page<Item> {
  const { shown, envelope } = pageEnvelope(context, input, place, kind, rows);
  return { data: shown.map(item), ...envelope };
}

/** As `pageAnswer`, for items that are JSON text already and are not parsed on their way. */
export function pageText<Row extends { id: string }>(
  context: Context,
  input: ListInput,
  place: KeysetPlace,
  kind: IdKind,
  rows: readonly Row[],
  item: (row: Row) => string,
): JsonText {
  const { shown, envelope } = pageEnvelope(context, input, place, kind, rows);
  return new JsonText(`{"data":[${shown.map(item).join(",")}],${JSON.stringify(envelope).slice(1)}`);
}

function pageEnvelope<Row extends { id: string }>(
  context: Context,
  input: ListInput,
  place: KeysetPlace,
  kind: IdKind,
  rows: readonly Row[],
): { shown: Row[]; envelope: Omit<Page<never>, "data"> } {
  const travelled = rows.slice(0, input.query.limit);
  const last = travelled.at(-1);
  const more = rows.length > travelled.length && last !== undefined;
  const shown = place.direction === "older" ? travelled : travelled.toReversed();
  const nextPage = more
    ? context.cursors.seal(cursorScope(context, input), { direction: place.direction, position: last.id })
    : null;
  const idOf = (row: Row | undefined) => (row === undefined ? null : formatId(kind, row.id));
  const envelope = {
    next_page: nextPage,
    first_id: idOf(shown[0]),
    last_id: idOf(shown.at(-1)),
    has_more: more,
  };
  return { shown, envelope };
}

/** What the cursors of this request are bound to. The limit is not part of it: it may change from page to page. */
export function cursorScope(context: Context, { params, query }: CursorInput): CursorScope {
  const { limit: _limit, page: _page, before_id: _before, after_id: _after, ...filters } = query;
  return { operation: context.operation.id, params, filters, principalId: context.principal.id };
}
