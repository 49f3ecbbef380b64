import { minUuidAt } from "@berth/contract";
import type { Principal } from "../http/principal.ts";
import type { Queryable } from "./statement.ts";

/**
 * Which part of a list is wanted. Lists are newest first, that is by descending id; `older` goes down the list from
 * the anchor, `newer` up. Bounds and anchor are uuids.
 */
export interface KeysetPlace {
  direction: "older" | "newer";
  anchor: string | null;
  /** How many rows to read: one more than the page holds tells whether more follow. */
  rows: number;
  /** Only ids at or above. */
  lowest: string | null;
  /** Only ids below. */
  below: string | null;
}

/** What is listed: columns of a table, and conditions on its rows with `?` for each value, in order. */
export interface Listed {
  table: string;
  columns: string;
  /** The column of the table with what the list is ordered by, where that is not `id`. */
  id?: string;
  conditions?: readonly Condition[];
}

export interface Condition {
  text: string;
  values: readonly unknown[];
}

interface CreatedQuery {
  "created_at[gt]"?: number | undefined;
  "created_at[gte]"?: number | undefined;
  "created_at[lt]"?: number | undefined;
  "created_at[lte]"?: number | undefined;
}

/** Bounds of `created_at` as milliseconds: the first that is wanted, and the first that is not any more. */
export function createdSpan(query: CreatedQuery): { from: number | null; until: number | null } {
  const from = [next(query["created_at[gt]"]), query["created_at[gte]"]].filter((at) => at !== undefined);
  const until = [query["created_at[lt]"], next(query["created_at[lte]"])].filter((at) => at !== undefined);
  return {
    from: from.length === 0 ? null : Math.max(...from),
    until: until.length === 0 ? null : Math.min(...until),
  };
}

/** Bounds of ids from bounds of `created_at`, which is the id's own millisecond. */
export function createdBounds(query: CreatedQuery): Pick<KeysetPlace, "lowest" | "below"> {
  const { from, until } = createdSpan(query);
  return {
    lowest: from === null ? null : minUuidAt(Math.max(0, from)),
    below: until === null ? null : minUuidAt(Math.max(0, until)),
  };
}

function next(millisecond: number | undefined): number | undefined {
  return millisecond === undefined ? undefined : millisecond + 1;
}

/**
 * The rows that a principal reaches, in the order of travel from the anchor: for each owner one range of one index, of
 * which a page is read, so that the cost depends neither on the table's size nor on how deep the page lies.
 *
 * @param statuses Only rows with one of these in the column `status`: a range for each, of an index that has it, too.
 */
export async function selectReached<Row extends object>(
  db: Queryable,
  principal: Principal,
  place: KeysetPlace,
  listed: Listed,
  statuses: readonly string[] | null = null,
): Promise<Row[]> {
  const owners = ownersReached(principal);
  const branches =
    statuses === null
      ? owners
      : [...new Set(statuses)].flatMap((status) => owners.map((owner) => ({ ...owner, status })));
  return await selectKeyset(db, place, listed, branches);
}

function ownersReached({ organizationId, id, role }: Principal): Branch[] {
  if (role === "admin") return [{ column: "organization_id", value: organizationId }];
  return [...new Set([id, organizationId])].map((value) => ({ column: "owner_id", value }));
}

/** What a principal reaches, as a condition on rows that are walked by another column than the owner. */
export function reachCondition(principal: Principal): Condition {
  const { organizationId, id, role } = principal;
  return role === "admin"
    ? one("organization_id = ?", organizationId)
    : one("owner_id = any(?::uuid[])", [id, organizationId]);
}

/** Rows with one value in a column; there is an index on the column and `id`, with the `status` between them where one is given. */
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
 * A branch is written as a range of `(column, id)` and ordered by both: only the index on both can serve that, so no plan,
 * however old the statistics are that it was made from, walks the primary key and drops what others own.
 */
export async function selectKeyset<Row extends object>(
  db: Queryable,
  place: KeysetPlace,
  listed: Listed,
  branches: readonly Branch[],
): Promise<Row[]> {
  if (branches.length === 0) return [];
  const { low, high } = range(place);
  const values: unknown[] = [];
  const value = (given: unknown) => `$${values.push(given)}`;
  const order = place.direction === "older" ? "desc" : "asc";
  const limit = `limit ${value(place.rows)}`;
  const selects = branches.map(({ column: owning, value: own, status }) => {
    const column = status === undefined ? owning : `${owning}, status`;
    const at = `${value(own)}::uuid${status === undefined ? "" : `, ${value(status)}::text`}`;
    const conditions = (listed.conditions ?? []).map((condition) => ` and ${numbered(condition, value)}`);
    const id = listed.id ?? "id";
    return `(select ${listed.columns} from ${listed.table}
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

/** The ids that are wanted: from `low`, up to but without `high`. Uuids order as their text does. */
function range({ direction, anchor, lowest, below }: KeysetPlace): { low: string; high: string } {
  const lows = [lowest ?? FIRST, ...(direction === "newer" && anchor !== null ? [successor(anchor)] : [])];
  const highs = [below ?? LAST, ...(direction === "older" && anchor !== null ? [anchor] : [])];
  return { low: lows.toSorted().at(-1) ?? FIRST, high: highs.toSorted()[0] ?? LAST };
}

/** Whether an id belongs to what is wanted, wherever the page ends. */
export function isWithin(place: KeysetPlace, id: string): boolean {
  const { low, high } = range(place);
  return id >= low && id < high;
}

function successor(uuid: string): string {
  const bits = BigInt(`0x${uuid.replaceAll("-", "")}`) + 1n;
  const hex = bits.toString(16).padStart(32, "0").slice(-32);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Of a list that shows what is archived only when it is asked for. */
export function unlessArchived({ archived }: { archived: boolean }): Condition[] {
  return archived ? [] : [{ text: "archived_at is null", values: [] }];
}

export function one(text: string, value: unknown): Condition {
  return { text, values: [value] };
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
