import type { Queryable } from "../db/statement.ts";

/**
 * The identity of an operator token: somebody who administers the installation and belongs to no
 * organization.
 */
export interface Operator {
  kind: "operator";
  /** The token's uuid. */
  tokenId: string;
  /** The same uuid, since the token represents nobody else. */
  id: string;
  /** Contains `operator` alone. */
  scopes: ReadonlySet<string>;
}

export interface FoundOperator {
  operator: Operator;
  revoked: boolean;
  expired: boolean;
  /** Whether `last_used_at` is more than a minute old. */
  stale: boolean;
}

/** Returns the operator whose token has this hash, or null. The database's clock decides about expiry. */
export async function findOperator(db: Queryable, hash: Buffer): Promise<FoundOperator | null> {
  const { rows } = await db.query<Omit<FoundOperator, "operator"> & { id: string }>({
    name: "find_operator",
    text: `select id, revoked_at is not null as revoked, coalesce(expires_at <= now(), false) as expired,
        coalesce(last_used_at < now() - interval '1 minute', true) as stale
      from operator_tokens where hash = $1`,
    values: [hash],
  });
  const [row] = rows;
  if (row === undefined) return null;
  const { id, ...state } = row;
  return { operator: { kind: "operator", tokenId: id, id, scopes: new Set(["operator"]) }, ...state };
}

/** Sets `last_used_at`, at most once a minute. */
export async function touchOperatorToken(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "touch_operator_token",
    text: `update operator_tokens set last_used_at = now()
      where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    values: [id],
  });
}
