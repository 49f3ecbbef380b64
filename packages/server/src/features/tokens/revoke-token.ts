import type { Principal } from "../../access/principal.ts";
import type { DatabaseAccess } from "../../db/database-access.ts";
import { errors } from "../../errors/catalogue.ts";
import { requireToken, setRevoked } from "./token-store.ts";

/** Revokes a token, and returns its uuid. @throws errors.adminsOnly for a token of the organization, unless it is the caller's own. */
export async function revokeToken(
  db: DatabaseAccess,
  principal: Principal,
  tokenId: string,
): Promise<string> {
  const token = await requireToken(db.read, principal, tokenId);
  const own = token.principal_id === principal.id;
  if (!own && principal.role !== "admin") throw errors.adminsOnly("revoke tokens of the organization");
  await setRevoked(db.write, token.id);
  return token.id;
}
