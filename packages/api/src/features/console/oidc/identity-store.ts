import type { Queryable } from "@berth/store/db";
import type { Membership } from "./oidc-settings.ts";

/** An account at an identity provider. */
export interface Account {
  issuer: string;
  /** The account's id at the provider. */
  subject: string;
}

/** Returns the uuid of the account's user, or null when the account has not signed in before. */
export async function userOfAccount(tx: Queryable, { issuer, subject }: Account): Promise<string | null> {
  const { rows } = await tx.query<{ user_id: string }>({
    name: "user_of_account",
    text: "select user_id from user_identities where issuer = $1 and subject = $2",
    values: [issuer, subject],
  });
  return rows[0]?.user_id ?? null;
}

/** Links the account to the user. @returns false when the user has another account of this provider. */
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
  /** Expiry of the sign-in: in 12 hours. */
  expires_at: Date;
}

/** Locks the user until the transaction ends, so that the sign-in sees whether the user is disabled. */
export async function lockUser(tx: Queryable, id: string): Promise<SigningUser> {
  const { rows } = await tx.query<SigningUser>({
    name: "lock_signing_user",
    text: `select id, organization_id, role, disabled_at is not null as disabled,
        now() + interval '12 hours' as expires_at
      from users where id = $1 for update`,
    values: [id],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("The user of an identity provider's account is missing.");
  return row;
}

export async function setUserRole(tx: Queryable, id: string, role: Membership["role"]): Promise<void> {
  await tx.query({
    name: "set_role_of_signing_user",
    text: "update users set role = $2, updated_at = now() where id = $1",
    values: [id, role],
  });
}
