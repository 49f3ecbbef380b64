import type { Scope } from "@berth/contract";
import { isBeingErased } from "@berth/store/access";
import { type DatabaseAccess, databaseNow, type Queryable } from "@berth/store/db";
import { type IssuedToken, issueToken, ownerOfServiceAccount } from "./create-token.ts";
import { organizationNamed, organizationOfUser, userWithEmail } from "./principal-store.ts";

interface TokenTerms {
  db: DatabaseAccess;
  /** Default: `*`. */
  scopes?: readonly Scope[] | undefined;
  /** Seconds until the token expires. Default: never. */
  expiresInSeconds?: number | undefined;
}

export interface TokenFor extends TokenTerms {
  email: string;
  /** Organization's name. Default: that of the user; `default` for a new user. */
  org?: string | undefined;
  /** Default: `member` for a new user, the current role of an existing one. */
  role?: "member" | "admin" | undefined;
  /** Default: `pat`. */
  kind?: "pat" | "sat" | undefined;
}

export interface ServiceAccountTokenFor extends TokenTerms {
  /** Service account's name. It is created if missing. */
  serviceAccount: string;
  /** Organization's name. Default: `default`. */
  org?: string | undefined;
}

/**
 * Creates a token for the operator, outside the API, and what it needs: the organization, the user, and for a
 * `sat` a service account named by the user's address. Returns the secret.
 *
 * @throws when the user belongs to another organization, or the organization is being erased.
 */
export async function createTokenFor(options: TokenFor): Promise<string> {
  const { db, email, org, role, kind = "pat" } = options;
  return await db.transaction(async (tx) => {
    const known = org === undefined ? await organizationOfUser(tx, email) : null;
    const organizationId = known ?? (await livingOrganization(tx, org));
    const user = await userWithEmail(tx, organizationId, email, role);
    if (user.organization_id !== organizationId) {
      throw new Error(`The user ${email} belongs to another organization.`);
    }
    const owner =
      kind === "pat"
        ? {
            organization_id: organizationId,
            owner_type: "user" as const,
            owner_id: user.id,
            principal_id: user.id,
          }
        : await ownerOfServiceAccount(tx, organizationId, email);
    return await issueSecret(tx, options, owner, kind);
  });
}

/** Creates a token for a service account of any name, without a user. Returns the secret. */
export async function createServiceAccountToken(options: ServiceAccountTokenFor): Promise<string> {
  const { db, serviceAccount: name, org } = options;
  return await db.transaction(async (tx) => {
    const owner = await ownerOfServiceAccount(tx, await livingOrganization(tx, org), name);
    return await issueSecret(tx, options, owner, "sat");
  });
}

/** Returns the uuid of the organization, created if missing. @throws while it is being erased. */
async function livingOrganization(tx: Queryable, name = "default"): Promise<string> {
  const id = await organizationNamed(tx, name);
  if (await isBeingErased(tx, [id])) throw new Error(`The organization '${name}' is being erased.`);
  return id;
}

async function issueSecret(
  tx: Queryable,
  { scopes = ["*"], expiresInSeconds }: TokenTerms,
  owner: Pick<IssuedToken, "organization_id" | "owner_type" | "owner_id" | "principal_id">,
  kind: "pat" | "sat",
): Promise<string> {
  const expires_at =
    expiresInSeconds === undefined ? null : new Date(databaseNow() + expiresInSeconds * 1_000);
  const { secret } = await issueToken(tx, {
    ...owner,
    kind,
    name: "made by the operator",
    scopes: [...scopes],
    expires_at,
    parent_id: null,
    independent: false,
  });
  return secret;
}
