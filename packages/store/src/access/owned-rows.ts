import { formatId, uuidTimestamp } from "@berth/contract";
import { type Condition, condition } from "../db/assembled-statement.ts";
import { type Branch, type KeysetRange, type Listing, selectKeyset } from "../db/keyset.ts";
import type { Queryable } from "../db/statement.ts";
import type { Owner, Principal } from "./principal.ts";

/** Columns that every table of owned, archivable objects has. `id` is a uuid. */
export interface OwnedRow extends Owner {
  id: string;
  archived_at: Date | null;
  updated_at: Date;
}

/** Returns the API fields of these columns, with which each of these objects ends. */
export function ownedFields(row: OwnedRow) {
  return {
    owner_type: row.owner_type,
    owner_id: formatId(row.owner_type, row.owner_id),
    archived_at: row.archived_at?.toISOString() ?? null,
    created_at: uuidTimestamp(row.id),
    updated_at: row.updated_at.toISOString(),
  };
}

/**
 * Returns the rows that a principal can access, in the direction of travel from the anchor. For each owner it
 * reads one page from one index range, so the cost depends neither on the table's size nor on the page's
 * depth.
 * @param statuses Returns only rows with one of these values in the column `status`, by one index range for
 * each.
 */
export async function selectAccessible<Row extends object>(
  db: Queryable,
  principal: Principal,
  range: KeysetRange,
  listing: Listing,
  statuses: readonly string[] | null = null,
): Promise<Row[]> {
  const owners = ownerBranches(principal);
  const branches = statuses === null ? owners : branchesOfValues(owners, "status", statuses);
  return await selectKeyset(db, range, listing, branches);
}

/** Returns a condition for what a principal can access, for lists that are not read by owner. */
export function accessCondition(principal: Principal): Condition {
  const { organizationId, id, role } = principal;
  return role === "admin"
    ? condition("organization_id = ?", organizationId)
    : condition("owner_id = any(?::uuid[])", [id, organizationId]);
}

/** The part of a list's query that includes or excludes archived objects. */
export interface ArchivedFilter {
  include_archived: boolean;
}

/** Returns the conditions that leave out archived objects, unless the filter includes them. */
export function unlessArchived(filter: ArchivedFilter): Condition[] {
  return filter.include_archived ? [] : [{ text: "archived_at is null", values: [] }];
}

/**
 * Splits each branch by the values of a text column, so that only rows with one of them match; see
 * `Branch.also`.
 */
export function branchesOfValues(
  branches: readonly Branch[],
  column: string,
  values: readonly string[],
): Branch[] {
  return [...new Set(values)].flatMap((value) =>
    branches.map((branch) => ({ ...branch, also: { column, value } })),
  );
}

/** Returns branches, by owner, for everything that a principal can access. */
export function ownerBranches({ organizationId, id, role }: Principal): Branch[] {
  if (role === "admin") return [{ column: "organization_id", value: organizationId }];
  return [...new Set([id, organizationId])].map((value) => ({ column: "owner_id", value }));
}

/**
 * Returns the list operation of one table of owned, archivable objects, newest first; see `selectAccessible`.
 * @param always Conditions that apply whatever the filter is.
 * @param bytes See `Listing`.
 */
export function ownedList<Row extends object>(
  table: string,
  columns: string,
  { conditions: always = [], bytes }: Pick<Listing, "conditions" | "bytes"> = {},
) {
  return (db: Queryable, principal: Principal, range: KeysetRange, filter: ArchivedFilter): Promise<Row[]> =>
    selectAccessible<Row>(db, principal, range, {
      table,
      columns,
      conditions: [...always, ...unlessArchived(filter)],
      ...(bytes !== undefined && { bytes }),
    });
}
