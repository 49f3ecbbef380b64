import { type IdKind, parseId } from "@berth/contract";
import type { Queryable } from "../db/statement.ts";
import { errors } from "../errors/catalogue.ts";
import { isOwn, type Owner, type Principal, type SharedRow } from "./principal.ts";
import { accessOfUser, ownerEmail } from "./share-store.ts";

/** A row whose access is checked. Without the columns of sharing, it is for its owner and admins alone. */
export interface CheckedRow extends Owner, Partial<Pick<SharedRow, "organization_access">> {
  id: string;
  /** uuid of another object whose shares apply as well: an output is seen by who sees its session. */
  shared_by?: string | null;
}

/** Reads a row by its uuid. */
export type Read<Row> = (db: Queryable, uuid: string) => Promise<Row | null>;

/** Reads the row that an id in a request names. */
export type RequireAccess<Row> = (
  db: Queryable,
  principal: Principal,
  id: string,
  /** The body field that contains the id; absent for an id in the path. */
  param?: string,
) => Promise<Row>;

/**
 * Returns the function by which handlers read an object of a kind, as in `requireAgent =
 * requireAccess("agent", getAgent)`. That function throws `errors.notFound`, also for text that is not an id
 * of the kind, and `errors.notYours`.
 */
export function requireAccess<Row extends CheckedRow>(kind: IdKind, read: Read<Row>): RequireAccess<Row> {
  return async (db, principal, id, param) => {
    const uuid = parseId(kind, id);
    const row = requireFound(kind, id, uuid === null ? null : await read(db, uuid), param);
    await checkAccess(db, principal, kind, id, row);
    return row;
  };
}

/**
 * Returns a function that first acts as `requireAccess`, then reads the row with `lock`, which locks it until
 * the transaction ends. Access is checked before locking, so that requests without access cannot delay the
 * owner's.
 */
export function requireAccessForUpdate<Row extends CheckedRow>(
  kind: IdKind,
  read: Read<Row>,
  lock: Read<Row>,
): RequireAccess<Row> {
  const requireRow = requireAccess(kind, read);
  return async (tx, principal, id) => {
    const { id: uuid } = await requireRow(tx, principal, id);
    const row = requireFound(kind, id, await lock(tx, uuid));
    await checkAccess(tx, principal, kind, id, row);
    return row;
  };
}

/**
 * Returns the row.
 * @throws errors.notFound when there is none; `param` names the field with the id.
 */
export function requireFound<Row>(
  kind: IdKind,
  id: string,
  row: Row | null | undefined,
  param?: string,
): Row {
  if (row == null) throw errors.notFound(nounOf(kind), id, param);
  return row;
}

/**
 * Checks that a principal has the access to an object that its request needs. The only place that decides it
 * for one object; for lists, `accessCondition` and `accessibleBranches` say the same.
 * @throws errors.notYours; errors.notYoursToChange for an object that it can read.
 */
export async function checkAccess(
  db: Queryable,
  principal: Principal,
  kind: IdKind,
  id: string,
  row: CheckedRow,
): Promise<void> {
  const access = await accessTo(db, principal, row);
  if (RANK[access] >= RANK[principal.needs]) return;
  const owner = row.organization_id === principal.organizationId ? await ownerEmail(db, row) : null;
  throw access === "none"
    ? errors.notYours(nounOf(kind), id, owner)
    : errors.notYoursToChange(nounOf(kind), id, owner);
}

const RANK = { none: 0, read: 1, write: 2, own: 3 } as const;

/** Returns the access of a principal to an object: as its owner, or as it was shared. */
export async function accessTo(
  db: Queryable,
  principal: Principal,
  { shared_by, ...row }: CheckedRow,
): Promise<keyof typeof RANK> {
  if (row.organization_id !== principal.organizationId) return "none";
  if (isOwn(principal, row)) return "own";
  if (row.organization_access === undefined) return "none";
  const ofUser = await accessOfUser(db, principal.id, shared_by == null ? [row.id] : [row.id, shared_by]);
  return ofUser === "write" ? ofUser : (row.organization_access ?? ofUser ?? "none");
}

/**
 * Checks that an object is not archived.
 * @throws errors.archived
 */
export function checkNotArchived(kind: IdKind, id: string, row: { archived_at: Date | null }): void {
  if (row.archived_at !== null) throw errors.archived(nounOf(kind), id);
}

/** Returns the noun for the kind in messages. */
function nounOf(kind: IdKind): string {
  if (kind === "session_resource") return "resource";
  if (kind === "vault_credential") return "credential";
  return kind.replaceAll("_", " ");
}
