import { assembled, type Condition, condition, joined } from "./assembled-statement.ts";
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
}

/** The rows with one value in a column. Needs an index on the column, on `status` if one is given, and on `id`, in this order. */
export interface Branch {
  column: string;
  value: string;
  status?: string;
}

const FIRST = "00000000-0000-0000-0000-000000000000";
const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff";

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
  if (branches?.length === 0) return [];
  const order = range.direction === "older" ? "desc" : "asc";
  const limit = condition("limit ?", range.rows);
  if (branches === null)
    return (await db.query<Row>(assembled([selectAll(range, listing, order, limit)]))).rows;
  const selects = branches.map((branch) => selectBranch(range, listing, branch, order, limit));
  const sorted = [joined(selects, " union all "), condition(`order by id ${order}`), limit];
  return (await db.query<Row>(assembled(selects.length === 1 ? selects : sorted))).rows;
}

function selectAll(
  range: KeysetRange,
  { table, columns, id = "id", conditions = [] }: Listing,
  order: "asc" | "desc",
  limit: Condition,
): Condition {
  const { low, high } = boundsOf(range);
  const parts = [condition(`${id} >= ?::uuid`, low), condition(`${id} < ?::uuid`, high), ...conditions];
  const where = joined(parts, " and ");
  return {
    text: `select ${columns} from ${table} where ${where.text} order by ${id} ${order} ${limit.text}`,
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
  range: KeysetRange,
  { table, columns, id = "id", conditions = [] }: Listing,
  { column: owning, value, status }: Branch,
  order: "asc" | "desc",
  limit: Condition,
): Condition {
  const { low, high } = boundsOf(range);
  const column = status === undefined ? owning : `${owning}, status`;
  const [at, own] = status === undefined ? ["?::uuid", [value]] : ["?::uuid, ?::text", [value, status]];
  const parts = [
    // Follows from the range, but the planner needs it to take an index of the rows that have the column.
    condition(`${owning} is not null`),
    condition(`(${column}, ${id}) >= (${at}, ?::uuid)`, ...own, low),
    condition(`(${column}, ${id}) < (${at}, ?::uuid)`, ...own, high),
    ...conditions,
  ];
  const orderBy = `order by ${column.replaceAll(",", ` ${order},`)} ${order}, ${id} ${order}`;
  const where = joined(parts, " and ");
  return {
    text: `(select ${columns} from ${table} where ${where.text} ${orderBy} ${limit.text})`,
    values: [...where.values, ...limit.values],
  };
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
