import type { Queryable } from "@berth/store/db";
import { CHILD_EXPIRES_AT } from "../tokens/token-store.ts";

/** An authorization as a poll finds it, by the database's clock. */
export interface PolledRow {
  id: string;
  client_name: string | null;
  client_address: string;
  status: "pending" | "approved" | "denied" | "used";
  expired: boolean;
  /** Whether the poll comes before the interval is over. */
  early: boolean;
  organization_id: string;
  user_id: string;
  approved_with: string | null;
  granted_scopes: string[];
}

/** Locks an authorization, so that only one poll gets the token. A poll may be half a second early. */
export async function lockByDeviceCode(tx: Queryable, hash: Buffer): Promise<PolledRow | null> {
  const { rows } = await tx.query<PolledRow>({
    name: "lock_polled_device_authorization",
    text: `select id, client_name, client_address, status, expires_at <= clock_timestamp() as expired,
        coalesce(clock_timestamp() < polled_at + make_interval(secs => interval_seconds - 0.5), false) as early,
        organization_id, user_id, approved_with, granted_scopes
      from device_authorizations where device_code_hash = $1 for update`,
    values: [hash],
  });
  return rows[0] ?? null;
}

/** Records a poll. @returns the minimum seconds between polls, which grow after an early one, up to 60. */
export async function notePoll(tx: Queryable, { id, early }: PolledRow): Promise<number> {
  const { rows } = await tx.query<{ interval_seconds: number }>({
    name: "note_device_poll",
    text: `update device_authorizations set polled_at = clock_timestamp(),
        interval_seconds = case when $2 then least(interval_seconds + 5, 60) else interval_seconds end
      where id = $1 returning interval_seconds`,
    values: [id, early],
  });
  return rows[0]?.interval_seconds ?? 60;
}

export async function setUsed(tx: Queryable, id: string): Promise<void> {
  await tx.query({
    name: "use_device_authorization",
    text: "update device_authorizations set status = 'used' where id = $1",
    values: [id],
  });
}

/**
 * Locks the approving user and token until the transaction ends. Returns null when the user is disabled, or
 * the token is revoked or has expired.
 */
export async function lockApprover(
  tx: Queryable,
  { user_id, approved_with }: Pick<PolledRow, "user_id" | "approved_with">,
): Promise<{ expires_at: Date | null } | null> {
  const users = await tx.query({
    name: "lock_approving_user",
    text: "select id from users where id = $1 and disabled_at is null for share",
    values: [user_id],
  });
  if (users.rowCount === 0) return null;
  if (approved_with === null) return { expires_at: null };
  const { rows } = await tx.query<{ expires_at: Date | null }>({
    name: "lock_approving_token",
    text: `select ${CHILD_EXPIRES_AT} as expires_at
      from tokens
      where id = $1 and revoked_at is null and coalesce(expires_at > clock_timestamp(), true) for share of tokens`,
    values: [approved_with],
  });
  return rows[0] ?? null;
}
