import { newUuid } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";

/** Returns the organization of an existing user; null when no user has this address. */
export async function organizationOfUser(tx: Queryable, email: string): Promise<string | null> {
  const { rows } = await tx.query<{ organization_id: string }>({
    text: "select organization_id from users where email = $1",
    values: [email],
  });
  return rows[0]?.organization_id ?? null;
}

/** Returns the uuid of the user with this address, whose ASCII letters may be of another case; null for none. */
export async function userWithEmailInAnyCase(tx: Queryable, email: string): Promise<string | null> {
  const { rows } = await tx.query<{ id: string }>({
    name: "user_with_email_in_any_case",
    text: `select id from users where lower(email collate "C") = lower($1::text collate "C")
      order by email <> $1, id limit 1`,
    values: [email],
  });
  return rows[0]?.id ?? null;
}

/**
 * Returns the uuid of the organization of this name, which is created if missing. Locks it against deletion
 * and erasure until the transaction ends.
 */
export async function organizationNamed(tx: Queryable, name: string): Promise<string> {
  const { rows } = await tx.query<{ id: string }>({
    text: `insert into organizations (id, name) values ($1, $2)
      on conflict (name) do update set name = excluded.name returning id`,
    values: [newUuid(), name],
  });
  return storedRow(rows).id;
}

/**
 * Returns the user with this address, who is created in the organization if missing.
 *
 * @param role Default: `member` for a new user, the current role of an existing one.
 */
export async function userWithEmail(
  tx: Queryable,
  organizationId: string,
  email: string,
  role: Principal["role"] | undefined,
): Promise<{ id: string; organization_id: string }> {
  const { rows } = await tx.query<{ id: string; organization_id: string }>({
    text: `insert into users (id, organization_id, email, role) values ($1, $2, $3, coalesce($4, 'member'))
      on conflict (email) do update set role = coalesce($4, users.role)
      returning id, organization_id`,
    values: [newUuid(), organizationId, email, role ?? null],
  });
  return storedRow(rows);
}

/** Returns the uuid of the organization's service account of this name, which is created if missing. */
export async function serviceAccountNamed(
  db: Queryable,
  organizationId: string,
  name: string,
): Promise<string> {
  const { rows } = await db.query<{ id: string }>({
    name: "service_account_named",
    text: `
      insert into service_accounts (id, organization_id, name) values ($1, $2, $3)
      on conflict (organization_id, name) do update set name = excluded.name
      returning id`,
    values: [newUuid(), organizationId, name],
  });
  return storedRow(rows).id;
}

function storedRow<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error("A row was not stored.");
  return row;
}
