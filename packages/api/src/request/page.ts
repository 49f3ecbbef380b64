import { formatId, type IdKind, minUuidAt, type Page, parseId } from "@berth/contract";
import { fitting, type KeysetRange, type MeasuredRow } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import type { Cursor, CursorScope } from "./cursor.ts";
import type { Caller, RequestScope } from "./request-scope.ts";
import { JsonText } from "./response-body.ts";

/** Parsed query parameters of every list. */
interface ListQuery extends CreatedQuery {
  limit: number;
  page?: string | undefined;
  before_id?: string | undefined;
  after_id?: string | undefined;
}

interface CreatedQuery {
  "created_at[gt]"?: number | undefined;
  "created_at[gte]"?: number | undefined;
  "created_at[lt]"?: number | undefined;
  "created_at[lte]"?: number | undefined;
}

interface ListInput {
  params: Record<string, string>;
  query: ListQuery;
}

/** Input of any list, including those without anchors. */
export interface CursorInput {
  params: Record<string, string>;
  query: Pick<ListQuery, "limit" | "page" | "before_id" | "after_id">;
}

export type ListRequest = Pick<RequestScope<Caller>, "operation" | "principal" | "cursors">;

interface ListedRow extends MeasuredRow {
  id: string;
}

type ReadRange<Row> = (range: KeysetRange) => Promise<readonly Row[]>;

/**
 * Returns the requested page of a list, with fewer rows than the limit where they are large. It is newest
 * first in either direction, and `next_page` continues in the direction of the request.
 *
 * @throws errors.invalid for a cursor of another list or caller.
 */
export async function listPage<Row extends ListedRow, Item>(
  request: ListRequest,
  input: ListInput,
  kind: IdKind,
  toItem: (row: Row) => Item,
  read: ReadRange<Row>,
): Promise<Page<Item>> {
  const { shown, envelope } = await readPage(request, input, kind, read);
  return { data: shown.map(toItem), ...envelope };
}

/** Returns the same as `listPage`, for items that are JSON text already and are sent without being parsed. */
export async function listPageJson<Row extends ListedRow>(
  request: ListRequest,
  input: ListInput,
  kind: IdKind,
  toJson: (row: Row) => string,
  read: ReadRange<Row>,
): Promise<JsonText> {
  const { shown, envelope } = await readPage(request, input, kind, read);
  return pageJson(shown.map(toJson), envelope);
}

function pageJson(items: readonly string[], envelope: Omit<Page<never>, "data">): JsonText {
  return new JsonText(`{"data":[${items.join(",")}],${JSON.stringify(envelope).slice(1)}`);
}

async function readPage<Row extends ListedRow>(
  request: ListRequest,
  input: ListInput,
  kind: IdKind,
  read: ReadRange<Row>,
): Promise<{ shown: Row[]; envelope: Omit<Page<never>, "data"> }> {
  const range = keysetRange(request, input, kind);
  const rows = await read(range);
  const travelled = fitting(rows, input.query.limit);
  const last = travelled.at(-1);
  const more = rows.length > travelled.length && last !== undefined;
  const shown = range.direction === "older" ? travelled : travelled.toReversed();
  const nextPage = more
    ? request.cursors.seal(cursorScope(request, input), { direction: range.direction, position: last.id })
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

/**
 * Returns a page of a list that only continues in one direction, without anchors.
 *
 * @param rows following rows, one more than the limit if there is more than a page.
 * @param positionOf returns the position of a row, which `openCursor` of the next page returns for the last
 * one.
 * @param count number of rows on the page.
 */
export function onwardPage<Row extends { id: string }>(
  request: ListRequest,
  input: CursorInput,
  rows: readonly Row[],
  positionOf: (row: Row) => string = ({ id }) => id,
  count = input.query.limit,
): Page<Row> {
  const { shown, next_page, has_more } = onward(request, input, rows, positionOf, count);
  const ends = { first_id: shown[0]?.id ?? null, last_id: shown.at(-1)?.id ?? null };
  return { data: [...shown], next_page, ...ends, has_more };
}

/** Returns the same as `onwardPage`, for rows whose ids are uuids and whose items are JSON text already. */
export function onwardPageJson<Row extends ListedRow>(
  request: ListRequest,
  input: CursorInput,
  kind: IdKind,
  toJson: (row: Row) => string,
  rows: readonly Row[],
  positionOf: (row: Row) => string,
): JsonText {
  const count = fitting(rows, input.query.limit).length;
  const { shown, next_page, has_more } = onward(request, input, rows, positionOf, count);
  const idOf = (row: Row | undefined) => (row === undefined ? null : formatId(kind, row.id));
  const envelope = { next_page, first_id: idOf(shown[0]), last_id: idOf(shown.at(-1)), has_more };
  return pageJson(shown.map(toJson), envelope);
}

function onward<Row>(
  request: ListRequest,
  input: CursorInput,
  rows: readonly Row[],
  positionOf: (row: Row) => string,
  count: number,
) {
  const shown = rows.slice(0, count);
  const last = shown.at(-1);
  const has_more = rows.length > shown.length && last !== undefined;
  const next_page = has_more
    ? request.cursors.seal(cursorScope(request, input), { direction: "older", position: positionOf(last) })
    : null;
  return { shown, next_page, has_more };
}

/** @throws errors.invalid for a cursor of another list or caller. */
function keysetRange(request: ListRequest, input: ListInput, kind: IdKind): KeysetRange {
  const { query } = input;
  const rows = query.limit + 1;
  const bounds = idBounds(query);
  const cursor = openCursor(request, input);
  if (cursor !== null) {
    return { direction: cursor.direction, anchor: cursor.position, rows, ...bounds };
  }
  if (query.before_id !== undefined) {
    return { direction: "newer", anchor: parseId(kind, query.before_id), rows, ...bounds };
  }
  const anchor = query.after_id === undefined ? null : parseId(kind, query.after_id);
  return { direction: "older", anchor, rows, ...bounds };
}

/** Returns the request's cursor, or null. @throws errors.invalid if it is of another list or caller. */
export function openCursor(request: ListRequest, input: CursorInput): Cursor | null {
  const { page } = input.query;
  if (page === undefined) return null;
  const cursor = request.cursors.open(cursorScope(request, input), page);
  if (cursor !== null) return cursor;
  throw errors.invalid("Field 'page' is not a cursor of this list for this caller.", "page");
}

/** Returns the scope of this request's cursors, without the limit, which may change between pages. */
export function cursorScope(request: ListRequest, { params, query }: CursorInput): CursorScope {
  const { limit: _limit, page: _page, before_id: _before, after_id: _after, ...filters } = query;
  return { operation: request.operation.id, params, filters, principalId: request.principal.id };
}

/** Returns bounds of `created_at` in milliseconds: `from` inclusive, `until` exclusive; null for none. */
export function createdBounds(query: CreatedQuery): { from: number | null; until: number | null } {
  const from = [next(query["created_at[gt]"]), query["created_at[gte]"]].filter((at) => at !== undefined);
  const until = [query["created_at[lt]"], next(query["created_at[lte]"])].filter((at) => at !== undefined);
  return {
    from: from.length === 0 ? null : Math.max(...from),
    until: until.length === 0 ? null : Math.min(...until),
  };
}

/** Returns the bounds of ids for those of `created_at`, which is the millisecond in the id. */
function idBounds(query: CreatedQuery): Pick<KeysetRange, "lowest" | "below"> {
  const { from, until } = createdBounds(query);
  return {
    lowest: from === null ? null : minUuidAt(Math.max(0, from)),
    below: until === null ? null : minUuidAt(Math.max(0, until)),
  };
}

function next(millisecond: number | undefined): number | undefined {
  return millisecond === undefined ? undefined : millisecond + 1;
}
