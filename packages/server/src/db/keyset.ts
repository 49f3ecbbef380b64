import { firstUuidOf } from "@berth/contract";
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
  conditions?: readonly Condition[];
}

export interface Condition {
  text: string;
  values: readonly unknown[];
}

/** Bounds of ids from bounds of `created_at`, which is the id's own millisecond. */
export function createdBounds(query: {
  "created_at[gt]"?: number | undefined;
  "created_at[gte]"?: number | undefined;
  "created_at[lt]"?: number | undefined;
  "created_at[lte]"?: number | undefined;
}): Pick<KeysetPlace, "lowest" | "below"> {
  const lowest = [next(query["created_at[gt]"]), query["created_at[gte]"]].filter((at) => at !== undefined);
  const below = [query["created_at[lt]"], next(query["created_at[lte]"])].filter((at) => at !== undefined);
  return {
    lowest: lowest.length === 0 ? null : firstUuidOf(Math.max(0, ...lowest)),
    below: below.length === 0 ? null : firstUuidOf(Math.max(0, Math.min(...below))),
  };
}

function next(millisecond: number | undefined): number | undefined {
  return millisecond === undefined ? undefined : millisecond + 1;
}

/**
 * The rows that a principal reaches, in the order of travel from the anchor. Each owner is a walk along one index that
 * ends after the page, so the cost depends neither on the table's size nor on how deep the page lies.
 */
export async function selectReached<Row extends object>(
  db: Queryable,
  principal: Principal,
  place: KeysetPlace,
  listed: Listed,
): Promise<Row[]> {
  if (principal.role === "admin") {
    return await selectKeyset(db, place, listed, [one("organization_id = ?", principal.organizationId)]);
  }
  const owners = [...new Set([principal.id, principal.organizationId])];
  return await selectKeyset(
    db,
    place,
    listed,
    owners.map((owner) => one("owner_id = ?", owner)),
  );
}

/** The rows of any of the `branches`, which must not overlap, in the order of travel from the anchor. */
export async function selectKeyset<Row extends object>(
  db: Queryable,
  place: KeysetPlace,
  listed: Listed,
  branches: readonly Condition[],
): Promise<Row[]> {
  const values: unknown[] = [];
  const order = `order by id ${place.direction === "older" ? "desc" : "asc"} limit $${values.push(place.rows)}`;
  const common = [...placeConditions(place), ...(listed.conditions ?? [])];
  const selects = branches.map((branch) => {
    const where = [branch, ...common].map((condition) => numbered(condition, values)).join(" and ");
    return `(select ${listed.columns} from ${listed.table} where ${where} ${order})`;
  });
  const text = selects.length === 1 ? (selects[0] ?? "") : `${selects.join(" union all ")} ${order}`;
  return (await db.query<Row>({ name: nameOf(text), text, values })).rows;
}

function placeConditions(place: KeysetPlace): Condition[] {
  const { anchor, direction, lowest, below } = place;
  return [
    ...(anchor === null ? [] : [one(direction === "older" ? "id < ?" : "id > ?", anchor)]),
    ...(lowest === null ? [] : [one("id >= ?", lowest)]),
    ...(below === null ? [] : [one("id < ?", below)]),
  ];
}

export function one(text: string, value: unknown): Condition {
  return { text, values: [value] };
}

function numbered(condition: Condition, values: unknown[]): string {
  let given = 0;
  return condition.text.replaceAll("?", () => `$${values.push(condition.values[given++])}`);
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
