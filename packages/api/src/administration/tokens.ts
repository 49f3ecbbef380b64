import { type CreatedToken, formatId, SCIM_SCOPE, type Scope, uuidOrNil } from "@berth/contract";
import type { Administrator } from "@berth/store/access";
import { databaseNow, type Queryable } from "@berth/store/db";
import { errors, OperatorError } from "@berth/store/errors";
import { descentOf, issueToken } from "../features/tokens/create-token.ts";
import { revokeWithDescendants } from "../features/tokens/revoke-token.ts";
import { getToken, toToken } from "../features/tokens/token-store.ts";
import { requireServiceAccount } from "./service-account-store.ts";
import { enabledUser } from "./user-store.ts";

/** Bearer, scopes and expiry of a new token. */
export interface TokenTerms {
  /** User's id. */
  user?: string | undefined;
  /** Service account's id, given instead of a user. */
  serviceAccount?: string | undefined;
  /** Default: who made it. */
  name?: string | undefined;
  scopes: readonly Scope[];
  /** ISO 8601. Default, also for null: the token never expires. */
  expiresAt?: string | null | undefined;
  /** Whether the token of an admin may outlive the admin's. */
  independent: boolean;
}

/**
 * Creates a token, whose secret is returned only here. That of an operator has no parent; that of an admin
 * descends from the admin's token, as with `tokens.create`.
 *
 * @throws OperatorError when the user or the service account is missing or disabled; as `descentOf`.
 */
export async function createTokenOf(
  tx: Queryable,
  terms: TokenTerms,
  creator: Administrator,
): Promise<{ token: CreatedToken; organization: string; bearer: string }> {
  const scopes = [...terms.scopes];
  const name = terms.name ?? (creator.kind === "operator" ? "made by the operator" : "made by an admin");
  const descent =
    creator.kind === "operator"
      ? { parent_id: null, independent: false, expires_at: expiryOf(terms) }
      : await descentOf(tx, creator, {
          ...terms,
          // Nobody has the scope of SCIM to give; it is for whoever administers the organization.
          scopes: scopes.filter((scope) => scope !== SCIM_SCOPE),
          expires_at: terms.expiresAt,
        });
  const { row, secret } = await issueToken(tx, { ...(await bearerOf(tx, terms)), ...descent, name, scopes });
  return {
    token: { ...toToken(row), token: secret },
    organization: formatId("organization", row.organization_id),
    bearer: formatId(row.kind === "sat" ? "service_account" : "user", row.principal_id),
  };
}

/** Revokes a token of any user or service account. @throws errors.notFound */
export async function revokeTokenOf(tx: Queryable, given: string) {
  const token = await getToken(tx, uuidOrNil("token", given));
  if (token === null) throw errors.notFound("token", given);
  const descendants = await revokeWithDescendants(tx, token.id);
  return {
    organization: formatId("organization", token.organization_id),
    deleted: {
      id: given,
      type: "token_deleted" as const,
      revoked_descendants: descendants.map((id) => formatId("token", id)),
    },
  };
}

async function bearerOf(tx: Queryable, { user, serviceAccount }: TokenTerms) {
  if (serviceAccount === undefined) {
    const { id, organization_id } = await enabledUser(tx, user ?? "");
    return { kind: "pat", organization_id, owner_type: "user", owner_id: id, principal_id: id } as const;
  }
  const { id, name, organization_id, disabled_at } = await requireServiceAccount(tx, serviceAccount);
  if (disabled_at !== null) throw new OperatorError(`The service account '${name}' is disabled.`);
  const owner = { owner_type: "organization", owner_id: organization_id } as const;
  return { kind: "sat", organization_id, ...owner, principal_id: id } as const;
}

function expiryOf({ expiresAt }: TokenTerms): Date | null {
  if (expiresAt == null) return null;
  const date = new Date(expiresAt);
  if (date.getTime() <= databaseNow())
    throw errors.invalid("Field 'expires_at' must be in the future.", "expires_at");
  return date;
}
