// What admins make for all members of their organization: members use it, and only admins and service accounts,
// whose objects are the organization's, change it.
import type { IdKind } from "@berth/contract";
import { errors } from "../errors/catalogue.ts";
import { type Owner, ownerOf, type Principal } from "./principal.ts";
import { type CheckedRow, type Read, type RequireAccess, requireAccessForUpdate } from "./require-access.ts";

/**
 * Returns the owner that a request asks for: the organization, or by default that of all that the principal
 * makes.
 *
 * @param what it does, for the error
 * @throws errors.adminsOnly
 */
export function ownerAskedFor(
  principal: Principal,
  type: Owner["owner_type"] | null | undefined,
  what: string,
): Owner {
  const own = ownerOf(principal);
  if (type !== "organization" || own.owner_type === type) return own;
  if (principal.role !== "admin") throw errors.adminsOnly(what);
  return { ...own, owner_type: type, owner_id: principal.organizationId };
}

/**
 * Returns the same as `requireAccessForUpdate` for objects that all members use if the organization owns them.
 * That function also throws errors.adminsOnly, for a user who is no admin.
 *
 * @param what the request does, for the error
 */
export function requireMayChange<Row extends CheckedRow>(
  kind: IdKind,
  read: Read<Row>,
  lock: Read<Row>,
  what: string,
): RequireAccess<Row> {
  const lockAccessible = requireAccessForUpdate(kind, read, lock);
  return async (tx, principal, id) => {
    const row = await lockAccessible(tx, principal, id);
    const isMember = principal.kind === "user" && principal.role !== "admin";
    if (isMember && row.owner_type === "organization") throw errors.adminsOnly(what);
    return row;
  };
}
