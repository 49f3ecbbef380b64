import type { Queryable } from "@berth/store/db";

/** The part of a token that a sign-in inherits. Ids are uuids. */
export interface SigningToken {
  id: string;
  organization_id: string;
  user_id: string;
  scopes: string[];
  /** Expiry of the sign-in: in 12 hours, or with the token if that is earlier. */
  expires_at: Date;
}

/**
 * Locks a user's token and the user until the transaction ends. A concurrent revocation happens before the
 * sign-in is created, or afterwards and then ends it too. Returns null when the token is not valid or the
 * user is disabled.
 */
export async function lockSigningToken(tx: Queryable, id: string): Promise<SigningToken | null> {
  const { rows } = await tx.query<SigningToken>({
    name: "lock_signing_token",
    text: `
      select tokens.id, tokens.organization_id, users.id as user_id, tokens.scopes,
        least(tokens.expires_at, now() + interval '12 hours') as expires_at
      from tokens join users on users.id = tokens.principal_id
      where tokens.id = $1 and tokens.kind = 'pat' and tokens.revoked_at is null and users.disabled_at is null
        and coalesce(tokens.expires_at > clock_timestamp(), true)
      for share of tokens, users`,
    values: [id],
  });
  return rows[0] ?? null;
}

/** A sign-in that was ended. Ids are uuids. */
export interface EndedSignIn {
  id: string;
  organization_id: string;
  principal_id: string;
}

/**
 * Revokes the sign-in with this secret. Returns null when there is none, or it has ended. Tokens created with
 * it stay, and become children of the token with which the sign-in was made.
 */
export async function endSignIn(tx: Queryable, hash: Buffer): Promise<EndedSignIn | null> {
  const { rows } = await tx.query<EndedSignIn>({
    name: "end_sign_in",
    text: `update tokens set revoked_at = now(), updated_at = now()
      where hash = $1 and kind = 'console' and revoked_at is null and expires_at > now()
      returning id, organization_id, principal_id`,
    values: [hash],
  });
  const [ended] = rows;
  if (ended === undefined) return null;
  // A second statement sees the tokens that were created until the first locked the row.
  await tx.query({
    name: "hand_over_tokens_of_sign_in",
    text: `update tokens set parent_id = ended.parent_id
      from tokens as ended where ended.id = $1 and tokens.parent_id = ended.id and tokens.revoked_at is null`,
    values: [ended.id],
  });
  return ended;
}

/** Deletes sign-ins that expired a week ago. Their parents inherit the tokens created with them. */
export async function deleteOldSignIns(db: Queryable): Promise<void> {
  await db.query({
    name: "delete_old_sign_ins",
    text: `
      with old as (
        select id, parent_id from tokens
        where kind = 'console' and expires_at < now() - interval '7 days' limit 10000 for update skip locked
      ), handed_over as (
        update tokens set parent_id = old.parent_id from old where tokens.parent_id = old.id
      )
      delete from tokens where id in (select id from old)`,
  });
}
