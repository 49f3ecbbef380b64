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

/** SQL with `?` for each value, in order. */
export interface Condition {
  text: string;
  values: readonly unknown[];
}

export function condition(text: string, value: unknown): Condition {
  return { text, values: [value] };
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
 * A branch is a range of `(column, id)`, ordered by both. Only the index on both columns can serve that, so even with outdated
 * statistics no plan scans the primary key and filters out other owners' rows.
 */
export async function selectKeyset<Row extends object>(
  db: Queryable,
  range: KeysetRange,
  listing: Listing,
  branches: readonly Branch[],
): Promise<Row[]> {
  if (branches.length === 0) return [];
  const { low, high } = boundsOf(range);
  const values: unknown[] = [];
  const value = (given: unknown) => `$${values.push(given)}`;
  const order = range.direction === "older" ? "desc" : "asc";
  const limit = `limit ${value(range.rows)}`;
  const selects = branches.map(({ column: owning, value: own, status }) => {
    const column = status === undefined ? owning : `${owning}, status`;
    const at = `${value(own)}::uuid${status === undefined ? "" : `, ${value(status)}::text`}`;
    const conditions = (listing.conditions ?? []).map((condition) => ` and ${numbered(condition, value)}`);
    const id = listing.id ?? "id";
    return `(select ${listing.columns} from ${listing.table}
      where (${column}, ${id}) >= (${at}, ${value(low)}::uuid) and (${column}, ${id}) < (${at}, ${value(high)}::uuid)
        ${conditions.join("")}
      order by ${column.replaceAll(",", ` ${order},`)} ${order}, ${id} ${order} ${limit})`;
  });
  const text =
    selects.length === 1
      ? (selects[0] ?? "")
      : `${selects.join(" union all ")} order by id ${order} ${limit}`;
  return (await db.query<Row>({ name: nameOf(text), text, values })).rows;
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

function numbered(condition: Condition, value: (given: unknown) => string): string {
  let given = 0;
  return condition.text.replaceAll("?", () => value(condition.values[given++]));
}

/** Texts differ only in direction and filters, so there are few of them, and each is prepared once per connection. */
const STATEMENT_NAMES = new Map<string, string>();

function nameOf(text: string): string {
  const known = STATEMENT_NAMES.get(text);
  if (known !== undefined) return known;
  const name = `keyset_${STATEMENT_NAMES.size}`;
  STATEMENT_NAMES.set(text, name);
  return name;
}
