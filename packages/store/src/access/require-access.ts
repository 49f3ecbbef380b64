import { type IdKind, parseId } from "@berth/contract";
import type { Queryable } from "../db/statement.ts";
import { errors } from "../errors/catalogue.ts";
import { canAccess, type Owner, type Principal } from "./principal.ts";

type Read<Row> = (db: Queryable, uuid: string) => Promise<Row | null>;

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
export function requireAccess<Row extends Owner>(kind: IdKind, read: Read<Row>): RequireAccess<Row> {
  return async (db, principal, id, param) => {
    const uuid = parseId(kind, id);
    const row = requireFound(kind, id, uuid === null ? null : await read(db, uuid), param);
    checkAccess(principal, kind, id, row);
    return row;
  };
}

/**
 * Returns a function that first acts as `requireAccess`, then reads the row with `lock`, which locks it until
 * the transaction ends. Access is checked before locking, so that requests without access cannot delay the
 * owner's.
 */
export function requireAccessForUpdate<Row extends Owner & { id: string }>(
  kind: IdKind,
  read: Read<Row>,
  lock: Read<Row>,
): RequireAccess<Row> {
  const requireRow = requireAccess(kind, read);
  return async (tx, principal, id) => {
    const { id: uuid } = await requireRow(tx, principal, id);
    const row = requireFound(kind, id, await lock(tx, uuid));
    checkAccess(principal, kind, id, row);
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
 * Checks that the principal can access the owner's objects.
 * @throws errors.notYours
 */
export function checkAccess(principal: Principal, kind: IdKind, id: string, owner: Owner): void {
  if (!canAccess(principal, owner)) throw errors.notYours(nounOf(kind), id);
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
