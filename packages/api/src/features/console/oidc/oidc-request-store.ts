import type { Queryable } from "@berth/store/db";

/** A browser that was sent to the identity provider. */
export interface OidcRequest {
  secretHash: Buffer;
  /** Where in the console it is sent in the end. */
  returnTo: string;
  /** Of the client. */
  network: string;
}

/** How many are under way: by the network of the client. Nobody else counts them until the transaction ends. */
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

/** It expires after ten minutes. */
export async function insertOidcRequest(tx: Queryable, request: OidcRequest): Promise<void> {
  await tx.query({
    name: "insert_oidc_request",
    text: `insert into oidc_requests (secret_hash, return_to, client_network, expires_at)
      values ($1, $2, $3, now() + interval '10 minutes')`,
    values: [request.secretHash, request.returnTo, request.network],
  });
}

/** Uses a request up, so that an answer counts once. Null when there is none, or it has expired. */
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
