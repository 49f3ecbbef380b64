import { type Input, newUuid, type ResponseOf, type tokenRoutes } from "@berth/contract";
import { hasScope, ownerOf, type Principal } from "../../access/principal.ts";
import { newTokenSecret, tokenHash } from "../../access/token-secret.ts";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../errors/catalogue.ts";
import { serviceAccountNamed } from "./principal-store.ts";
import { insertToken, type TokenRow, toToken } from "./token-store.ts";

type Body = Input<typeof tokenRoutes.create>["body"];

/**
 * Creates a token for the caller, or, for an admin, one for the service account of that name.
 *
 * @throws errors.usersOnly, errors.scopesTooWide, errors.adminsOnly, errors.invalid
 */
export async function createToken(
  db: Queryable,
  principal: Principal,
  body: Body,
): Promise<ResponseOf<typeof tokenRoutes.create>> {
  if (principal.kind !== "user") throw errors.usersOnly("create tokens");
  const lacking = body.scopes.find((scope) => !hasScope(principal, scope));
  if (lacking !== undefined) throw errors.scopesTooWide(lacking);
  if (body.kind === "sat" && principal.role !== "admin")
    throw errors.adminsOnly("create service account tokens");
  const expiresAt = body.expires_at == null ? null : new Date(body.expires_at);
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    throw errors.invalid("Field 'expires_at' must be in the future.", "expires_at");
  }
  const owner =
    body.kind === "pat"
      ? { ...ownerOf(principal), principal_id: principal.id }
      : await ownerOfServiceAccount(db, principal.organizationId, body.name);
  const { name, scopes, kind } = body;
  const { row, secret } = await issueToken(db, { ...owner, kind, name, scopes, expires_at: expiresAt });
  return { ...toToken(row), token: secret };
}

export type IssuedToken = Pick<
  TokenRow,
  "organization_id" | "owner_type" | "owner_id" | "kind" | "principal_id" | "name" | "scopes" | "expires_at"
>;

/** Creates and stores a token. Its secret is returned here only: a hash is stored. */
export async function issueToken(
  db: Queryable,
  issued: IssuedToken,
): Promise<{ row: TokenRow; secret: string }> {
  const secret = newTokenSecret(issued.kind);
  const row = await insertToken(db, {
    ...issued,
    id: newUuid(),
    last4: secret.slice(-4),
    hash: tokenHash(secret),
  });
  return { row, secret };
}

/** Owner and principal of a token of the organization's service account of this name. */
export async function ownerOfServiceAccount(db: Queryable, organizationId: string, name: string) {
  return {
    organization_id: organizationId,
    owner_type: "organization" as const,
    owner_id: organizationId,
    principal_id: await serviceAccountNamed(db, organizationId, name),
  };
}
