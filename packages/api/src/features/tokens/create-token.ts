import { type Input, newUuid, type ResponseOf, type tokenRoutes } from "@berth/contract";
import { hasScope, newTokenSecret, ownerOf, type Principal, tokenHash } from "@berth/store/access";
import { type DatabaseAccess, databaseNow, type Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { serviceAccountNamed } from "./principal-store.ts";
import { insertToken, lockParent, type TokenRow, toToken } from "./token-store.ts";

type Body = Input<typeof tokenRoutes.create>["body"];

/**
 * Creates a token for the caller, or, for an admin, one for the service account of that name. It has no scope
 * that the calling token lacks. It expires and is revoked with that token at the latest, unless an admin
 * makes it independent.
 *
 * @throws errors.usersOnly, errors.scopesTooWide, errors.adminsOnly, errors.invalid; errors.revokedToken when
 * the calling token was revoked meanwhile.
 */
export async function createToken(
  db: DatabaseAccess,
  principal: Principal,
  body: Body,
): Promise<ResponseOf<typeof tokenRoutes.create>> {
  if (principal.kind !== "user") throw errors.usersOnly("create tokens");
  if (body.kind === "sat" && principal.role !== "admin")
    throw errors.adminsOnly("create service account tokens");
  return await db.transaction(async (tx) => {
    const descent = await descentOf(tx, principal, body);
    const owner =
      body.kind === "pat"
        ? { ...ownerOf(principal), principal_id: principal.id }
        : await ownerOfServiceAccount(tx, principal.organizationId, body.name);
    const { name, scopes, kind } = body;
    const { row, secret } = await issueToken(tx, { ...owner, ...descent, kind, name, scopes });
    return { ...toToken(row), token: secret };
  });
}

/** What a token inherits from the token that creates it. */
type Descent = Pick<TokenRow, "parent_id" | "independent" | "expires_at">;

/**
 * Returns the descent of a token that a request creates. Locks the request's token until the transaction ends.
 *
 * @throws errors.scopesTooWide, errors.adminsOnly, errors.scopeMissing, errors.invalid; errors.revokedToken
 * when the request's token was revoked meanwhile.
 */
export async function descentOf(
  tx: Queryable,
  principal: Principal,
  terms: Pick<Body, "scopes" | "independent" | "expires_at">,
): Promise<Descent> {
  const { scopes, independent } = terms;
  const lacking = scopes.find((scope) => !hasScope(principal, scope));
  if (lacking !== undefined) throw errors.scopesTooWide(lacking);
  if (independent && principal.role !== "admin") throw errors.adminsOnly("create independent tokens");
  if (independent && !hasScope(principal, "*")) throw errors.scopeMissing("*");
  const parent = await lockParent(tx, principal.tokenId);
  if (parent === null) throw errors.revokedToken();
  return { parent_id: principal.tokenId, independent, expires_at: expiryOf(terms, parent.expires_at) };
}

/** Returns the requested expiry. A dependent token expires with its parent at the latest, and by default. */
function expiryOf(
  { expires_at, independent }: Pick<Body, "expires_at" | "independent">,
  parentExpiry: Date | null,
): Date | null {
  const latest = independent ? null : parentExpiry;
  if (expires_at == null) return latest;
  const requested = new Date(expires_at);
  if (requested.getTime() <= databaseNow()) {
    throw errors.invalid("Field 'expires_at' must be in the future.", "expires_at");
  }
  if (latest !== null && requested > latest) throw errors.expiresTooLate(latest);
  return requested;
}

export type IssuedToken = Pick<
  TokenRow,
  | "organization_id"
  | "owner_type"
  | "owner_id"
  | "kind"
  | "principal_id"
  | "name"
  | "scopes"
  | "expires_at"
  | "parent_id"
  | "independent"
>;

/** Creates and stores a token. Its secret is returned only here; the database has its hash. */
export async function issueToken(
  db: Queryable,
  issued: IssuedToken & Partial<Pick<TokenRow, "signed_in_by">>,
): Promise<{ row: TokenRow; secret: string }> {
  const secret = newTokenSecret(issued.kind);
  const row = await insertToken(db, {
    signed_in_by: null,
    ...issued,
    id: newUuid(),
    last4: secret.slice(-4),
    hash: tokenHash(secret),
  });
  return { row, secret };
}

/** Returns owner and principal of the named service account's tokens. Creates a missing account. */
export async function ownerOfServiceAccount(db: Queryable, organizationId: string, name: string) {
  return {
    organization_id: organizationId,
    owner_type: "organization" as const,
    owner_id: organizationId,
    principal_id: await serviceAccountNamed(db, organizationId, name),
  };
}
