import type { Principal } from "@berth/store/access";
import type { DatabaseAccess, Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { requireToken, revokeChildren, setRevoked } from "./token-store.ts";

/**
 * Revokes a token and all its descendants, except independent ones and theirs. Returns the uuids of the token
 * and of the descendants that were not revoked before.
 *
 * @throws errors.adminsOnly for a token of the organization, unless it is the caller's own.
 */
export async function revokeToken(
  db: DatabaseAccess,
  principal: Principal,
  tokenId: string,
): Promise<{ id: string; descendants: string[] }> {
  const token = await requireToken(db.read, principal, tokenId);
  const own = token.principal_id === principal.id;
  if (!own && principal.role !== "admin") throw errors.adminsOnly("revoke tokens of the organization");
  return await db.transaction(async (tx) => ({
    id: token.id,
    descendants: await revokeWithDescendants(tx, token.id),
  }));
}

/** Does the same for a token's uuid, and returns the descendants. */
export async function revokeWithDescendants(tx: Queryable, id: string): Promise<string[]> {
  await setRevoked(tx, id);
  const descendants: string[] = [];
  let generation = [id];
  do {
    generation = await revokeChildren(tx, generation);
    descendants.push(...generation);
  } while (generation.length > 0);
  return descendants;
}
