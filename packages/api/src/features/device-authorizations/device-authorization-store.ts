import { type DeviceAuthorization, formatId, uuidTimestamp } from "@berth/contract";
import type { Queryable } from "@berth/store/db";

export interface NewAuthorization {
  id: string;
  device_code_hash: Buffer;
  user_code_hash: Buffer;
  client_name: string | null;
  client_address: string;
  client_network: string;
  scopes: readonly string[];
  /** Seconds until it expires. */
  expires_in: number;
}

/** A device authorization as the API shows it, without its secrets. */
export interface PendingRow {
  id: string;
  client_name: string | null;
  client_address: string;
  scopes: string[];
  status: "pending" | "approved" | "denied";
  granted_scopes: string[] | null;
  expires_at: Date;
}

/** The user who approves. */
export interface Approver {
  organizationId: string;
  userId: string;
  /** Approver's token; null when the operator approves for the user. */
  tokenId: string | null;
}

const columns = "id, client_name, client_address, scopes, status, granted_scopes, expires_at";

/** Counts pending and approved authorizations by client network, locked until the transaction ends. */
export async function countOpen(tx: Queryable): Promise<{ network: string; count: number }[]> {
  await tx.query({
    name: "lock_device_authorizations",
    text: "select pg_advisory_xact_lock(hashtextextended('device authorizations', 0))",
  });
  const { rows } = await tx.query<{ network: string; count: number }>({
    name: "count_device_authorizations",
    text: `select client_network as network, count(*)::int as count
      from device_authorizations where status in ('pending', 'approved') and expires_at > now() group by client_network`,
  });
  return rows;
}

/** Stores an authorization. Returns false if another one has the same code. */
export async function insertAuthorization(tx: Queryable, made: NewAuthorization): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: "insert_device_authorization",
    text: `insert into device_authorizations
        (id, device_code_hash, user_code_hash, client_name, client_address, client_network, scopes, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8)) on conflict do nothing`,
    values: [
      made.id,
      made.device_code_hash,
      made.user_code_hash,
      made.client_name,
      made.client_address,
      made.client_network,
      made.scopes,
      made.expires_in,
    ],
  });
  return rowCount === 1;
}

/** Returns the pending authorization with this user code, or null when there is none. */
export async function findPending(db: Queryable, userCodeHash: Buffer): Promise<PendingRow | null> {
  const { rows } = await db.query<PendingRow>({
    name: "find_device_authorization",
    text: `select ${columns} from device_authorizations
      where user_code_hash = $1 and status = 'pending' and expires_at > now()`,
    values: [userCodeHash],
  });
  return rows[0] ?? null;
}

/** Returns the same as `findPending`, and locks it until the transaction ends. */
export async function lockPending(tx: Queryable, userCodeHash: Buffer): Promise<PendingRow | null> {
  const { rows } = await tx.query<PendingRow>({
    name: "lock_device_authorization",
    text: `select ${columns} from device_authorizations
      where user_code_hash = $1 and status = 'pending' and expires_at > now() for update`,
    values: [userCodeHash],
  });
  return rows[0] ?? null;
}

/** Approves an authorization. The device gets at least a minute for its next poll. */
export async function setApproved(
  tx: Queryable,
  id: string,
  { organizationId, userId, tokenId }: Approver,
  scopes: readonly string[],
): Promise<PendingRow> {
  return changed(
    await tx.query<PendingRow>({
      name: "approve_device_authorization",
      text: `update device_authorizations set status = 'approved', organization_id = $2, user_id = $3,
          approved_with = $4, granted_scopes = $5, expires_at = greatest(expires_at, now() + interval '1 minute')
        where id = $1 returning ${columns}`,
      values: [id, organizationId, userId, tokenId, scopes],
    }),
  );
}

export async function setDenied(tx: Queryable, id: string): Promise<PendingRow> {
  return changed(
    await tx.query<PendingRow>({
      name: "deny_device_authorization",
      text: `update device_authorizations set status = 'denied' where id = $1 returning ${columns}`,
      values: [id],
    }),
  );
}

function changed({ rows: [row] }: { rows: PendingRow[] }): PendingRow {
  if (row === undefined) throw new Error("The device authorization no longer exists.");
  return row;
}

/** Deletes authorizations that expired ten minutes ago. Until then a poll learns that they expired. */
export async function deleteExpired(db: Queryable): Promise<void> {
  await db.query({
    name: "delete_expired_device_authorizations",
    text: "delete from device_authorizations where expires_at < now() - interval '10 minutes'",
  });
}

export function toDeviceAuthorization(row: PendingRow): DeviceAuthorization {
  return {
    id: formatId("device_authorization", row.id),
    type: "device_authorization",
    status: row.status,
    client_name: row.client_name,
    client_address: row.client_address,
    scopes: row.scopes as DeviceAuthorization["scopes"],
    granted_scopes: row.granted_scopes as DeviceAuthorization["granted_scopes"],
    created_at: uuidTimestamp(row.id),
    expires_at: row.expires_at.toISOString(),
  };
}
