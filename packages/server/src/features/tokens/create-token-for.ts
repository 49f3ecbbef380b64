import { newUuid, type Scope } from "@berth/contract";
import type { DatabaseAccess } from "../../db/database-access.ts";
import type { Queryable } from "../../db/statement.ts";
import { issueToken, serviceAccount } from "./create-token.ts";

interface TokenTerms {
  db: DatabaseAccess;
  /** Default `*`. */
  scopes?: readonly Scope[] | undefined;
  /** Default: never. */
  expiresInSeconds?: number | undefined;
}

export interface TokenFor extends TokenTerms {
  email: string;
  /** Name of the organization; default: the user's own, for a new user `default`. */
  org?: string | undefined;
  /** Default: `member` for a new user, and what it is for one that exists. */
  role?: "member" | "admin" | undefined;
  /** Default `pat`. */
  kind?: "pat" | "sat" | undefined;
}

export interface ServiceAccountTokenFor extends TokenTerms {
  /** Made when it is missing. */
  serviceAccount: string;
  /** Name of its organization; default `default`. */
  org?: string | undefined;
}

/**
 * What an operator does beside the API: makes a token and what is missing for it, the organization, the user, and for
 * a `sat` the service account, which is named after the user. Answers the secret.
 *
 * @throws when the user belongs to another organization.
 */
export async function createTokenFor(options: TokenFor): Promise<string> {
  const { db, email, org, role, kind = "pat" } = options;
  return await db.transaction(async (tx) => {
    const organizationId =
      org === undefined ? await organizationOf(tx, email) : await organizationNamed(tx, org);
    const userId = await userOf(tx, organizationId, email, role);
    const owner =
      kind === "pat"
        ? {
            organization_id: organizationId,
            owner_type: "user" as const,
            owner_id: userId,
            principal_id: userId,
          }
        : await serviceAccount(tx, organizationId, email);
    return await secretOf(tx, options, owner, kind);
  });
}

/** The same for a service account of any name, without a user. */
export async function createServiceAccountToken(options: ServiceAccountTokenFor): Promise<string> {
  const { db, serviceAccount: name, org = "default" } = options;
  return await db.transaction(async (tx) => {
    const owner = await serviceAccount(tx, await organizationNamed(tx, org), name);
    return await secretOf(tx, options, owner, "sat");
  });
}

async function secretOf(
  tx: Queryable,
  { scopes = ["*"], expiresInSeconds }: TokenTerms,
  owner: Pick<
    Parameters<typeof issueToken>[1],
    "organization_id" | "owner_type" | "owner_id" | "principal_id"
  >,
  kind: "pat" | "sat",
): Promise<string> {
  const expires_at = expiresInSeconds === undefined ? null : new Date(Date.now() + expiresInSeconds * 1_000);
  const { secret } = await issueToken(tx, {
    ...owner,
    kind,
    name: "made by the operator",
    scopes: [...scopes],
    expires_at,
  });
  return secret;
}

/** The organization that a user belongs to already, else the default one. */
async function organizationOf(tx: Queryable, email: string): Promise<string> {
  const { rows } = await tx.query<{ organization_id: string }>({
    text: "select organization_id from users where email = $1",
    values: [email],
  });
  return rows[0]?.organization_id ?? (await organizationNamed(tx, "default"));
}

async function organizationNamed(tx: Queryable, name: string): Promise<string> {
  const { rows } = await tx.query<{ id: string }>({
    text: `insert into organizations (id, name) values ($1, $2)
      on conflict (name) do update set name = excluded.name returning id`,
    values: [newUuid(), name],
  });
  return theOne(rows).id;
}

async function userOf(
  tx: Queryable,
  organizationId: string,
  email: string,
  role: "member" | "admin" | undefined,
): Promise<string> {
  const { rows } = await tx.query<{ id: string; organization_id: string }>({
    text: `insert into users (id, organization_id, email, role) values ($1, $2, $3, coalesce($4, 'member'))
      on conflict (email) do update set role = coalesce($4, users.role)
      returning id, organization_id`,
    values: [newUuid(), organizationId, email, role ?? null],
  });
  const user = theOne(rows);
  if (user.organization_id === organizationId) return user.id;
  throw new Error(`The user ${email} belongs to another organization.`);
}

function theOne<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error("A row was not stored.");
  return row;
}
