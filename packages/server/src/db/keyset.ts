import type { Queryable } from "./statement.ts";

/**
 * Which part of a list to read. Lists are newest first, by descending id: `older` goes down the list from the anchor,
 * `newer` up. Bounds and anchor are uuids.
 */
export interface KeysetRange {
  direction: "older" | "newer";
  anchor: string | null;
  /** How many rows to read: one more than the page holds shows whether more follow. */
  rows: number;
  /** Only ids at or above. */
  lowest: string | null;
  /** Only ids below. */
  below: string | null;
}

/** What is listed: columns of a table, and conditions on its rows with `?` for each value, in order. */
export interface Listing {
  table: string;
  columns: string;
  /** The column that orders the list; default `id`. */
  id?: string;
  conditions?: readonly Condition[];
}

export interface Condition {
  text: string;
  values: readonly unknown[];
}

export function condition(text: string, value: unknown): Condition {
  return { text, values: [value] };
}

/** Rows with one value in a column. There is an index on the column, `status` where one is given, and `id`. */
export interface Branch {
  column: string;
  value: string;
  status?: string;
}

const FIRST = "00000000-0000-0000-0000-000000000000";
const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * The rows of any of the `branches`, which must not overlap, in the order of travel from the anchor.
 *
 * A branch is written as a range of `(column, id)` and ordered by both. Only the index on both can serve that, so no plan,
 * however old the statistics are that it was made from, walks the primary key and drops other owners' rows.
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

/** Whether an id lies in the range, wherever the page ends. */
export function isWithin(range: KeysetRange, id: string): boolean {
  const { low, high } = boundsOf(range);
  return id >= low && id < high;
}

/** The ids of the range: from `low`, up to but without `high`. Uuids order as their text does. */
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

const names = new Map<string, string>();

/** Texts differ by direction and filters only, so they are few, and each is planned once. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `keyset_${names.size}`;
  names.set(text, name);
  return name;
}
