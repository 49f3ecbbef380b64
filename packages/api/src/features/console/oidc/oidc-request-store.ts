import type { Queryable } from "@berth/store/db";

/** A browser that was sent to the identity provider. */
export interface OidcRequest {
  secretHash: Buffer;
  /** Path in the console to which the browser returns in the end. */
  returnTo: string;
  /** Network of the client's address. */
  network: string;
}

/** Counts requests under way by client network, and locks the count until the transaction ends. */
export async function countOidcRequests(tx: Queryable): Promise<{ network: string; count: number }[]> {
  await tx.query({
    name: "lock_oidc_requests",
    text: "select pg_advisory_xact_lock(hashtextextended('oidc requests', 0))",
  });
  const { rows } = await tx.query<{ network: string; count: number }>({
    name: "count_oidc_requests",
    text: `select client_network as network, count(*)::int as count
      from oidc_requests where expires_at > now() group by client_network`,
  });
  return rows;
}

/** Stores a request, which expires after ten minutes. */
export async function insertOidcRequest(tx: Queryable, request: OidcRequest): Promise<void> {
  await tx.query({
    name: "insert_oidc_request",
    text: `insert into oidc_requests (secret_hash, return_to, client_network, expires_at)
      values ($1, $2, $3, now() + interval '10 minutes')`,
    values: [request.secretHash, request.returnTo, request.network],
  });
}

/** Deletes a request, so that a response counts once. Returns null when there is none or it has expired. */
export async function takeOidcRequest(
  db: Queryable,
  secretHash: Buffer,
): Promise<Pick<OidcRequest, "returnTo"> | null> {
  const { rows } = await db.query<{ return_to: string; expired: boolean }>({
    name: "take_oidc_request",
    text: `delete from oidc_requests where secret_hash = $1
      returning return_to, expires_at <= clock_timestamp() as expired`,
    values: [secretHash],
  });
  const [row] = rows;
  return row === undefined || row.expired ? null : { returnTo: row.return_to };
}

export async function deleteExpiredOidcRequests(db: Queryable): Promise<void> {
  await db.query({
    name: "delete_expired_oidc_requests",
    text: "delete from oidc_requests where expires_at < now()",
  });
}
