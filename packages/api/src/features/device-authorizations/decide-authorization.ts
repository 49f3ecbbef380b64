import type { Scope } from "@berth/contract";
import { hasScope, type Principal } from "@berth/store/access";
import type { DatabaseAccess, Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import {
  type Approver,
  findPending,
  lockPending,
  type PendingRow,
  setApproved,
  setDenied,
} from "./device-authorization-store.ts";
import { userCodeHash } from "./device-codes.ts";

/** A code as the user typed it, and the installation's key for hashing such codes. */
export interface GivenCode {
  code: string;
  key: Uint8Array;
}

/** @throws errors.usersOnly for a service account: the token would be the approver's own. */
export function requireUser({ kind }: Principal): void {
  if (kind !== "user") throw errors.usersOnly("approve or deny logins");
}

/** Returns the pending authorization with this code. @throws errors.userCodeUnknown */
export async function findAuthorization(db: Queryable, given: GivenCode): Promise<PendingRow> {
  return known(await findPending(db, hashOf(given)));
}

/**
 * Approves an authorization, so that the device can get a token of the approver.
 *
 * @param scopes of the token. Default: the requested ones.
 * @param may returns whether the approver may grant a scope.
 * @throws errors.userCodeUnknown, errors.scopeNotAsked, errors.scopesTooWide
 */
export async function approveAuthorization(
  db: DatabaseAccess,
  given: GivenCode,
  approver: Approver,
  scopes: readonly Scope[] | null,
  may: (scope: string) => boolean,
): Promise<PendingRow> {
  return await db.transaction(async (tx) => {
    const row = known(await lockPending(tx, hashOf(given)));
    const asked = { scopes: new Set(row.scopes) };
    const granted: readonly string[] = scopes ?? row.scopes;
    const unasked = granted.find((scope) => !hasScope(asked, scope));
    if (unasked !== undefined) throw errors.scopeNotAsked(unasked);
    const lacking = granted.find((scope) => !may(scope));
    if (lacking !== undefined) throw errors.scopesTooWide(lacking);
    return await setApproved(tx, row.id, approver, [...new Set(granted)]);
  });
}

/** @throws errors.userCodeUnknown */
export async function denyAuthorization(db: DatabaseAccess, given: GivenCode): Promise<PendingRow> {
  return await db.transaction(async (tx) => {
    const { id } = known(await lockPending(tx, hashOf(given)));
    return await setDenied(tx, id);
  });
}

function hashOf({ code, key }: GivenCode): Buffer {
  return known(userCodeHash(key, code));
}

function known<T>(found: T | null): T {
  if (found === null) throw errors.userCodeUnknown();
  return found;
}
