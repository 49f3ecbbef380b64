import { assembled, type Condition, condition, joined } from "./assembled-statement.ts";
import { measured } from "./page-bytes.ts";
import type { Queryable } from "./statement.ts";

/**
 * The part of a list to read. Lists are newest first, by descending id: `older` reads downwards from the
 * anchor, `newer` upwards. Bounds and anchor are uuids.
 */
export interface KeysetRange {
  direction: "older" | "newer";
  anchor: string | null;
  /** Maximum number of rows: the page size plus one, which shows whether another page follows. */
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
  /**
   * SQL expression for a row's bytes, for a list whose rows may be large. `fitting` bounds the page by it.
   */
  bytes?: string;
}

/**
 * The rows with one value in a uuid column. It needs an index on that column, then the column of `also` if
 * given, then the columns that order the list.
 */
export interface Branch {
  /** Set when other branches may have some of its rows, too. */
  overlaps?: true;
  /** Where the rows are read, in place of the listing's table, and the name of their id there. */
  table?: string;
  id?: string;
  column: string;
  value: string;
  /** A text column of the index, with its value. */
  also?: { column: string; value: string };
  /** Conditions of a partial index. */
  conditions?: readonly Condition[];
}

/**
 * The columns that order a list, all in the same direction, and their first and last values. `low` is
 * inclusive, `high` exclusive.
 */
export interface Span {
  columns: readonly { name: string; type: string }[];
  low: readonly unknown[];
  high: readonly unknown[];
}

/** The lowest and the highest uuid. */
export const FIRST = "00000000-0000-0000-0000-000000000000";
export const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * Selects the rows of all `branches`, each once, in the order of reading from the anchor. A
 * branch is a range of `(column, id)`, ordered by both. Only the index on both columns can return that in
 * order, so no plan scans the primary key and filters out other owners' rows. Conditions may repeat a branch's
 * column and value. The settings of the reading connections prevent plans that sort all rows of the owner; see
 * `openReadClients`.
 * @param branches Null for all rows of the table, by its primary key.
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

/** Selects rows as `selectKeyset` does, for a list that is ordered by other columns. */
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
  // The selected columns name the row's own id `id`.
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
  const [only, ...others] = branches;
  if (only !== undefined && others.length === 0) return selectBranch(listing, span, only, order, limit);
  const { table, columns, id = "id" } = listing;
  const names = span.columns.map(({ name }) => name).join(", ");
  const keys = branches.map((branch) =>
    selectBranch({ ...listing, columns: null }, span, branch, order, limit),
  );
  const once = branches.some(({ overlaps }) => overlaps) ? `distinct on (${names})` : "";
  const page = joined([joined(keys, " union all "), limit], `) as found ${orderBy(span.columns, order)} `);
  return {
    text: `select ${columns} from ${table} where ${id} = any(array(select ${id} from (
        select ${once} ${names} from (${page.text}) as page)) ${orderBy(span.columns, order)}`,
    values: page.values,
  };
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

/** The range of all rows, newest first. */
export const WHOLE: KeysetRange = {
  direction: "older",
  anchor: null,
  rows: 1_000_000_000,
  lowest: null,
  below: null,
};

function selectBranch(
  {
    table: usual,
    id: usualId = "id",
    columns,
    conditions = [],
  }: Omit<Listing, "columns"> & { columns: string | null },
  listed: Span,
  { table = usual, id = usualId, column, value, also, conditions: own = [] }: Branch,
  order: "asc" | "desc",
  limit: Condition,
): Condition {
  const keyColumns = listed.columns
    .map(({ name }) => (name === usualId ? `${id} as ${name}` : name))
    .join(", ");
  const named = listed.columns.map((one) => (one.name === usualId ? { ...one, name: id } : one));
  const span = { ...listed, columns: named };
  const keys = [
    { name: column, type: "uuid", value },
    ...(also === undefined ? [] : [{ name: also.column, type: "text", value: also.value }]),
  ];
  // With an equality on the column, PostgreSQL begins at the edge of the branch, and reads its index up to the
  // position.
  const others = conditions.filter((one) => one.text !== `${column} = ?` || one.values[0] !== value);
  // The first condition follows from the range, but the planner needs it to use a partial index on non-null
  // values.
  const parts = [condition(`${column} is not null`), ...within(keys, span), ...own, ...others];
  const where = joined(parts, " and ");
  const by = orderBy([...keys, ...span.columns], order);
  return {
    text: `(select ${columns ?? keyColumns} from ${table} where ${where.text} ${by} ${limit.text})`,
    values: [...where.values, ...limit.values],
  };
}

/**
 * Returns conditions for the rows with the values of `keys` that lie in the span, as one range of an index on
 * both.
 */
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

/** Returns whether an id is in the range, ignoring the page size. */
export function isWithin(range: KeysetRange, id: string): boolean {
  const { low, high } = boundsOf(range);
  return id >= low && id < high;
}

/** Returns `low` (inclusive) and `high` (exclusive). Uuids sort in the order of their text. */
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
