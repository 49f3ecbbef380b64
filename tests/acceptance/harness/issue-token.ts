import { OWNER } from "../../made-database/made-database.ts";
import type { AnyJson, Api } from "./api.ts";

/** Options of a token to create, named like the flags of `berth bootstrap`. */
export interface NewToken {
  user?: string;
  org?: string;
  role?: "member" | "admin";
  /** Default: `pat`. With `sat`, the token is of a service account with the name of the user. */
  kind?: "pat" | "sat";
  scopes?: string;
  expiresIn?: number;
}

/**
 * Creates a token, and its user, service account and organization if missing, with the same defaults as
 * `berth bootstrap`, but without starting a process. Returns the secret.
 */
export async function issueToken(operator: Api, terms: NewToken): Promise<string> {
  const { kind = "pat", scopes = "*", expiresIn } = terms;
  const user = await userOf(operator, terms);
  const owner =
    kind === "pat"
      ? { user_id: user.id }
      : { service_account_id: (await accountNamed(operator, user.email, user.organization_id)).id };
  const expires_at = expiresIn === undefined ? null : new Date(Date.now() + expiresIn * 1_000).toISOString();
  const { token } = await create(operator, "tokens", { ...owner, scopes: scopes.split(","), expires_at });
  return token;
}

async function userOf(operator: Api, { user: email = OWNER, org, role }: NewToken): Promise<AnyJson> {
  const user = await found(operator, "users", { email });
  if (user === null) {
    const organization = await organizationNamed(operator, org ?? "default");
    return await create(operator, "users", { email, organization_id: organization.id, ...roleOf(role) });
  }
  if (org !== undefined && user.organization !== org)
    throw new Error(`The user ${email} belongs to another organization.`);
  return role === undefined || role === user.role ? user : create(operator, `users/${user.id}`, { role });
}

const roleOf = (role: NewToken["role"]) => (role === undefined ? {} : { role });

async function organizationNamed(operator: Api, name: string): Promise<AnyJson> {
  return (
    (await found(operator, "organizations", { name })) ?? (await create(operator, "organizations", { name }))
  );
}

async function accountNamed(operator: Api, name: string, organization_id: string): Promise<AnyJson> {
  const terms = { name, organization_id };
  return (
    (await found(operator, "service_accounts", terms)) ?? (await create(operator, "service_accounts", terms))
  );
}

async function found(operator: Api, noun: string, query: Record<string, string>): Promise<AnyJson | null> {
  const page = await operator.ok("GET", `/api/v1/admin/${noun}?${new URLSearchParams(query)}`);
  return page.data[0] ?? null;
}

function create(operator: Api, path: string, body: object): Promise<AnyJson> {
  return operator.ok("POST", `/api/v1/admin/${path}`, body);
}
