import type { Scope } from "@berth/contract";
import { isBeingErased } from "@berth/store/access";
import { databaseNow, type Queryable } from "@berth/store/db";
import { issueToken } from "./create-token.ts";
import { organizationNamed, organizationOfUser, userWithEmail } from "./principal-store.ts";
import type { TokenRow } from "./token-store.ts";

export interface TokenFor {
  email: string;
  /** Organization's name. Default: that of the user; `default` for a new user. */
  org?: string | undefined;
  /** Default: `member` for a new user, the current role of an existing one. */
  role?: "member" | "admin" | undefined;
  /** Default: `*`. */
  scopes?: readonly Scope[] | undefined;
  /** Seconds until the token expires. Default: never. */
  expiresInSeconds?: number | undefined;
}

/**
 * Creates a token without the API, and its user and organization if missing.
 *
 * @throws when the user belongs to another organization, or the organization is being erased.
 */
export async function createTokenFor(
  tx: Queryable,
  { email, org, role, scopes = ["*"], expiresInSeconds }: TokenFor,
): Promise<{ row: TokenRow; secret: string }> {
  const known = org === undefined ? await organizationOfUser(tx, email) : null;
  const organizationId = known ?? (await livingOrganization(tx, org));
  const user = await userWithEmail(tx, organizationId, email, role);
  if (user.organization_id !== organizationId)
    throw new Error(`The user ${email} belongs to another organization.`);
  return await issueToken(tx, {
    organization_id: organizationId,
    owner_type: "user",
    owner_id: user.id,
    principal_id: user.id,
    kind: "pat",
    name: "made by the operator",
    scopes: [...scopes],
    expires_at: expiresInSeconds === undefined ? null : new Date(databaseNow() + expiresInSeconds * 1_000),
    parent_id: null,
    independent: false,
  });
}

/** Returns the uuid of the organization, created if missing. @throws while it is being erased. */
async function livingOrganization(tx: Queryable, name = "default"): Promise<string> {
  const id = await organizationNamed(tx, name);
  if (await isBeingErased(tx, [id])) throw new Error(`The organization '${name}' is being erased.`);
  return id;
}
