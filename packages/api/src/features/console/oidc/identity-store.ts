import type { Queryable } from "@berth/store/db";
import type { Membership } from "./oidc-settings.ts";

/** An account at an identity provider. */
export interface Account {
  issuer: string;
  /** Its id there. */
  subject: string;
}

/** The uuid of the user that the account is; null when it has not signed in before. */
export async function userOfAccount(tx: Queryable, { issuer, subject }: Account): Promise<string | null> {
  const { rows } = await tx.query<{ user_id: string }>({
    name: "user_of_account",
    text: "select user_id from user_identities where issuer = $1 and subject = $2",
    values: [issuer, subject],
  });
  return rows[0]?.user_id ?? null;
}

/** Notes which user the account is. @returns false when the user is another account of this provider. */
export async function addAccount(
  tx: Queryable,
  { issuer, subject }: Account,
  userId: string,
): Promise<boolean> {
  await tx.query({
    name: "add_account",
    text: "insert into user_identities (issuer, subject, user_id) values ($1, $2, $3) on conflict do nothing",
    values: [issuer, subject, userId],
  });
  return (await userOfAccount(tx, { issuer, subject })) === userId;
}

/** A user who signs in. */
export interface SigningUser {
  id: string;
  organization_id: string;
  role: Membership["role"];
  disabled: boolean;
  /** Of the sign-in: in 12 hours. */
  expires_at: Date;
}

/** Holds the user until the transaction ends, so that the user is disabled before the sign-in is made or after, and then has none. */
export async function lockUser(tx: Queryable, id: string): Promise<SigningUser> {
  const { rows } = await tx.query<SigningUser>({
    name: "lock_signing_user",
    text: `select id, organization_id, role, disabled_at is not null as disabled,
        now() + interval '12 hours' as expires_at
      from users where id = $1 for update`,
    values: [id],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("The user of an account is not there.");
  return row;
}

export async function setUserRole(tx: Queryable, id: string, role: Membership["role"]): Promise<void> {
  await tx.query({
    name: "set_role_of_signing_user",
    text: "update users set role = $2, updated_at = now() where id = $1",
    values: [id, role],
  });
}
