import { assembled, type Condition, condition, joined } from "./assembled-statement.ts";
import { measured } from "./page-bytes.ts";
import type { Queryable } from "./statement.ts";

/**
 * The part of a list to read. Lists are newest first, by descending id: `older` reads downwards from the anchor, `newer`
 * upwards. Bounds and anchor are uuids.
 */
export interface KeysetRange {
  direction: "older" | "newer";
  anchor: string | null;
  /** Maximum rows: the page size plus one, which shows whether another page follows. */
  rows: number;
  /** Inclusive lower bound of the ids. */
  lowest: string | null;
  /** Exclusive upper bound of the ids. */
  below: string | null;
}

/** The columns of a table to select, and conditions on its rows. */
export interface Listing {
  table: string;
  columns: string;
  /** The column that orders the list; default `id`. */
  id?: string;
  conditions?: readonly Condition[];
  /** Of a list whose rows may be large: how many bytes one has, as an expression on the columns. Bounds the page by `fitting`. */
  bytes?: string;
}

/**
 * The rows with one value in a uuid column. Needs an index on the column, on that of `also` if it is given, and on what orders the
 * list, in this order.
 */
export interface Branch {
  column: string;
  value: string;
  /** A text column of the index, with its value. */
  also?: { column: string; value: string };
  /** Those of a partial index. */
  conditions?: readonly Condition[];
}

/** The columns that order a list, all in the same direction, and their first and last values. `low` is inclusive, `high` exclusive. */
export interface Span {
  columns: readonly { name: string; type: string }[];
  low: readonly unknown[];
  high: readonly unknown[];
}

export const FIRST = "00000000-0000-0000-0000-000000000000";
export const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * Selects the rows of all `branches`, which must not overlap, in the order of reading from the anchor.
 *
 * A branch is a range of `(column, id)`, ordered by both. Only the index on both columns can serve that in order, so no plan
 * scans the primary key and filters out other owners' rows. That none sorts all rows of the owner either is up to the settings
 * of the connections that read; see `openReadClients`.
 *
 * @param branches null: all rows of the table, by its primary key.
 */
export async function selectKeyset<Row extends object>(
  db: Queryable,
  range: KeysetRange,
  listing: Listing,
  branches: readonly Branch[] | null,
): Promise<Row[]> {
  const { low, high } = boundsOf(range);
  const columns = [{ name: listing.id ?? "id", type: "uuid" }];
  return await selectSpan<Row>(db, range, listing, { columns, low: [low], high: [high] }, branches);
}

/** As `selectKeyset`, for a list that other columns order. */
export async function selectSpan<Row extends object>(
  db: Queryable,
  { direction, rows }: Pick<KeysetRange, "direction" | "rows">,
  listing: Listing,
  span: Span,
  branches: readonly Branch[] | null,
): Promise<Row[]> {
  if (branches?.length === 0) return [];
  const order = direction === "older" ? "desc" : "asc";
  const limit = condition("limit ?", rows);
  const page =
    branches === null
      ? selectAll(listing, span, order, limit)
      : selectBranches(listing, span, branches, order, limit);
  const { bytes, id = "id" } = listing;
  if (bytes === undefined) return (await db.query<Row>(assembled([page]))).rows;
  // Of what was selected, the row's own id is called so.
  const shown = span.columns.map(({ name }) => `${name === id ? "id" : name} ${order}`).join(", ");
  return (await db.query<Row>(assembled([measured(page, bytes, shown)]))).rows;
}

function selectBranches(
  listing: Listing,
  span: Span,
  branches: readonly Branch[],
  order: "asc" | "desc",
  limit: Condition,
): Condition {
  const selects = branches.map((branch) => selectBranch(listing, span, branch, order, limit));
  const [only, ...others] = selects;
  if (only !== undefined && others.length === 0) return only;
  return joined([joined(selects, " union all "), condition(orderBy(span.columns, order)), limit], " ");
}

function selectAll(
  { table, columns, conditions = [] }: Listing,
  span: Span,
  order: "asc" | "desc",
  limit: Condition,
): Condition {
  const where = joined([...within([], span), ...conditions], " and ");
  return {
    text: `select ${columns} from ${table} where ${where.text} ${orderBy(span.columns, order)} ${limit.text}`,
    values: [...where.values, ...limit.values],
  };
}

/** All rows, newest first. */
export const WHOLE: KeysetRange = {
  direction: "older",
  anchor: null,
  rows: 1_000_000_000,
  lowest: null,
  below: null,
};

function selectBranch(
  { table, columns, conditions = [] }: Listing,
  span: Span,
  { column, value, also, conditions: own = [] }: Branch,
  order: "asc" | "desc",
  limit: Condition,
): Condition {
  const keys = [
    { name: column, type: "uuid", value },
    ...(also === undefined ? [] : [{ name: also.column, type: "text", value: also.value }]),
  ];
  // The first follows from the range, but the planner needs it to take an index of the rows that have the column.
  const parts = [condition(`${column} is not null`), ...within(keys, span), ...own, ...conditions];
  const where = joined(parts, " and ");
  const by = orderBy([...keys, ...span.columns], order);
  return {
    text: `(select ${columns} from ${table} where ${where.text} ${by} ${limit.text})`,
    values: [...where.values, ...limit.values],
  };
}

/** The rows with the values of `keys` that lie in the span, as one range of an index on both. */
function within(
  keys: readonly { name: string; type: string; value: unknown }[],
  { columns, low, high }: Span,
): Condition[] {
  const all = [...keys, ...columns];
  const names = all.map(({ name }) => name).join(", ");
  const row = all.map(({ type }) => `?::${type}`).join(", ");
  const fixed = keys.map(({ value }) => value);
  return [
    condition(`(${names}) >= (${row})`, ...fixed, ...low),
    condition(`(${names}) < (${row})`, ...fixed, ...high),
  ];
}

function orderBy(columns: readonly { name: string }[], order: "asc" | "desc"): string {
  return `order by ${columns.map(({ name }) => `${name} ${order}`).join(", ")}`;
}

/** Whether an id is in the range, ignoring the page size. */
export function isWithin(range: KeysetRange, id: string): boolean {
  const { low, high } = boundsOf(range);
  return id >= low && id < high;
}

/** Returns `low` (inclusive) and `high` (exclusive). Uuids sort like their text. */
function boundsOf({ direction, anchor, lowest, below }: KeysetRange): { low: string; high: string } {
  const lows = [lowest ?? FIRST, ...(direction === "newer" && anchor !== null ? [successor(anchor)] : [])];
  const highs = [below ?? LAST, ...(direction === "older" && anchor !== null ? [anchor] : [])];
  return { low: lows.toSorted().at(-1) ?? FIRST, high: highs.toSorted()[0] ?? LAST };
}

function successor(uuid: string): string {
  const bits = BigInt(`0x${uuid.replaceAll("-", "")}`) + 1n;
  const hex = bits.toString(16).padStart(32, "0").slice(-32);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
