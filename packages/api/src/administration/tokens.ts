import { type CreatedToken, formatId, type Scope } from "@berth/contract";
import { databaseNow, type Queryable } from "@berth/store/db";
import { errors, OperatorError } from "@berth/store/errors";
import { issueToken } from "../features/tokens/create-token.ts";
import { toToken } from "../features/tokens/token-store.ts";
import { requireServiceAccount } from "./service-account-store.ts";
import { enabledUser } from "./user-store.ts";

/** Bearer, scopes and expiry of a new token. */
export interface TokenTerms {
  /** User's id. */
  user?: string | undefined;
  /** Service account's id, given instead of a user. */
  serviceAccount?: string | undefined;
  name: string;
  scopes: readonly Scope[];
  /** ISO 8601. Default, also for null: the token never expires. */
  expiresAt?: string | null | undefined;
}

/**
 * Creates a token without a parent. Its secret is returned only here.
 *
 * @throws OperatorError when the user or the service account is missing or disabled.
 */
export async function createTokenOf(
  tx: Queryable,
  terms: TokenTerms,
): Promise<{ token: CreatedToken; organization: string }> {
  const { name, scopes } = terms;
  const expires_at = expiryOf(terms);
  const lineage = { parent_id: null, independent: false };
  const issued = { ...(await bearerOf(tx, terms)), ...lineage, name, scopes: [...scopes], expires_at };
  const { row, secret } = await issueToken(tx, issued);
  return {
    token: { ...toToken(row), token: secret },
    organization: formatId("organization", row.organization_id),
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
