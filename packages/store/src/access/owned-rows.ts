import { formatId, type IdKind, uuidTimestamp } from "@berth/contract";
import { type Condition, condition, joined } from "../db/assembled-statement.ts";
import { type Branch, type KeysetRange, type Listing, selectKeyset } from "../db/keyset.ts";
import type { Queryable } from "../db/statement.ts";
import { isOwn, type Principal, type SharedRow, visibilityOf } from "./principal.ts";
import { SHARED_WITH, sharedRows, sharedWithUser } from "./share-store.ts";

/** Columns that every table of owned, archivable objects has. */
export interface OwnedRow extends SharedRow {
  archived_at: Date | null;
  updated_at: Date;
}

/** Returns the API fields of an object's owner, and of who else sees it. */
export function ownerFields(row: Omit<SharedRow, "id">) {
  return {
    owner_type: row.owner_type,
    owner_id: formatId(row.owner_type, row.owner_id),
    visibility: visibilityOf(row),
  };
}

/** Returns the API fields of these columns, with which each of these objects ends. */
export function ownedFields(row: OwnedRow) {
  return {
    ...ownerFields(row),
    archived_at: row.archived_at?.toISOString() ?? null,
    created_at: uuidTimestamp(row.id),
    updated_at: row.updated_at.toISOString(),
  };
}

/**
 * Returns the rows that a principal can access, in the direction of travel from the anchor. For each owner, and
 * for what the organization shares, it reads one page from one index range, so the cost depends neither on the
 * table's size nor on the page's depth. What is shared with the user alone is read by these shares.
 * @param kind of the objects of the table.
 */
export async function selectAccessible<Row extends object>(
  db: Queryable,
  principal: Principal,
  range: KeysetRange,
  listing: Listing,
  kind: IdKind,
  { shared_with_me = false }: AccessFilter = {},
): Promise<Row[]> {
  const branches = accessibleBranches(principal, kind, listing.table, { shared_with_me });
  return await selectKeyset(db, range, listing, branches);
}

/** The part of a list's query that leaves out what is the caller's own. */
export interface AccessFilter {
  shared_with_me?: boolean | undefined;
}

/** Returns a condition for what is a principal's own, for tables whose rows have only an owner. */
export function ownCondition({ organizationId, id, role }: Principal): Condition {
  return role === "admin"
    ? condition("organization_id = ?", organizationId)
    : condition("owner_id = any(?::uuid[])", [id, organizationId]);
}

/** Returns a condition for what a principal can access, for lists that are not read by owner. */
export function accessCondition(
  principal: Principal,
  { shared_with_me = false }: AccessFilter = {},
): Condition {
  const { organizationId, id } = principal;
  const shared = condition(
    `(organization_id = ? and organization_access is not null or ${SHARED_WITH})`,
    organizationId,
    id,
  );
  const own = ownCondition(principal);
  return shared_with_me
    ? joined([shared, othersCondition(principal)], " and ")
    : { text: `(${own.text} or ${shared.text})`, values: [...own.values, ...shared.values] };
}

/** Returns a condition for what other users own. */
function othersCondition({ organizationId, id }: Principal): Condition {
  return condition("owner_id <> all(?::uuid[])", [id, organizationId]);
}

/** Returns whether a principal can read each of the rows, in their order, by one statement at most. */
export async function canRead(
  db: Queryable,
  principal: Principal,
  rows: readonly SharedRow[],
): Promise<boolean[]> {
  const isOpen = (row: SharedRow) =>
    isOwn(principal, row) ||
    (row.organization_id === principal.organizationId && row.organization_access !== null);
  const others = rows.filter((row) => !isOpen(row)).map(({ id }) => id);
  const shared = others.length === 0 ? null : await sharedWithUser(db, principal.id, others);
  return rows.map((row) => isOpen(row) || shared?.has(row.id) === true);
}

/** The part of a list's query that includes or excludes archived objects. */
export interface ArchivedFilter extends AccessFilter {
  include_archived: boolean;
}

/** Returns the conditions that leave out archived objects, unless the filter includes them. */
export function unlessArchived(filter: ArchivedFilter): Condition[] {
  return filter.include_archived ? [] : [{ text: "archived_at is null", values: [] }];
}

/**
 * Splits the branches that indexes of the table serve. Those of shares stay whole: the listing's conditions
 * select their rows.
 */
export function splitBranches(branches: readonly Branch[], split: (branch: Branch) => Branch[]): Branch[] {
  return branches.flatMap((branch) => (branch.table === undefined ? split(branch) : [branch]));
}

/**
 * Splits branches by the values of a text column, so that only rows with one of them match; see
 * `Branch.also`.
 */
export function branchesOfValues(
  branches: readonly Branch[],
  column: string,
  values: readonly string[],
): Branch[] {
  return splitBranches(branches, (branch) =>
    [...new Set(values)].map((value) => ({ ...branch, also: { column, value } })),
  );
}

/** Returns branches for everything that a principal can access. */
export function accessibleBranches(
  principal: Principal,
  kind: IdKind,
  table: string,
  { shared_with_me = false }: AccessFilter = {},
): Branch[] {
  const { organizationId, id, role } = principal;
  if (role === "admin" && !shared_with_me) return ownerBranches(principal);
  const isShared = condition("organization_access is not null");
  return [
    ...(shared_with_me ? [] : ownerBranches(principal)),
    {
      overlaps: true,
      column: "organization_id",
      value: organizationId,
      conditions: shared_with_me ? [isShared, othersCondition(principal)] : [isShared],
    },
    {
      overlaps: true,
      table: sharedRows(kind, table),
      id: "object_id",
      column: "shared_with",
      value: id,
    },
  ];
}

/** Returns branches, by owner, for everything that is a principal's own. */
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
  kind: IdKind,
  table: string,
  columns: string,
  { conditions: always = [], bytes }: Pick<Listing, "conditions" | "bytes"> = {},
) {
  return (db: Queryable, principal: Principal, range: KeysetRange, filter: ArchivedFilter): Promise<Row[]> =>
    selectAccessible<Row>(
      db,
      principal,
      range,
      {
        table,
        columns,
        conditions: [...always, ...unlessArchived(filter)],
        ...(bytes !== undefined && { bytes }),
      },
      kind,
      filter,
    );
}
