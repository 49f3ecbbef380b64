import { formatId, type OperatorToken, uuidTimestamp } from "@berth/contract";
import { type KeysetRange, type Queryable, selectKeyset } from "@berth/store/db";

export interface OperatorTokenRow {
  id: string;
  name: string;
  last4: string;
  parent_id: string | null;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

export type NewOperatorToken = Pick<
  OperatorTokenRow,
  "id" | "name" | "last4" | "parent_id" | "expires_at"
> & {
  hash: Buffer;
};

const COLUMNS = "id, name, last4, parent_id, expires_at, last_used_at, revoked_at";

/** Selects operator tokens, newest first. */
export async function selectOperatorTokens(db: Queryable, range: KeysetRange): Promise<OperatorTokenRow[]> {
  return await selectKeyset<OperatorTokenRow>(
    db,
    range,
    { table: "operator_tokens", columns: COLUMNS },
    null,
  );
}

export async function insertOperatorToken(tx: Queryable, made: NewOperatorToken): Promise<OperatorTokenRow> {
  const { rows } = await tx.query<OperatorTokenRow>({
    text: `insert into operator_tokens (id, name, last4, parent_id, expires_at, hash)
      values ($1, $2, $3, $4, $5, $6) returning ${COLUMNS}`,
    values: [made.id, made.name, made.last4, made.parent_id, made.expires_at, made.hash],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("The operator token was not stored.");
  return row;
}

/**
 * Locks a token until the transaction ends. A concurrent revocation happens before a child is created, or
 * afterwards and then revokes the child too. Returns null when the token is revoked.
 */
export async function lockOperatorToken(
  tx: Queryable,
  id: string,
): Promise<Pick<OperatorTokenRow, "expires_at"> | null> {
  const { rows } = await tx.query<Pick<OperatorTokenRow, "expires_at">>({
    text: "select expires_at from operator_tokens where id = $1 and revoked_at is null for share",
    values: [id],
  });
  return rows[0] ?? null;
}

/** Revokes an operator token if it is not revoked yet. Returns whether it exists. */
export async function revokeOperatorToken(tx: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    text: "update operator_tokens set revoked_at = coalesce(revoked_at, now()) where id = $1",
    values: [id],
  });
  return rowCount === 1;
}

/** Revokes the children of these tokens. Returns the ids of those that were not revoked before. */
export async function revokeOperatorChildren(tx: Queryable, parents: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    text: `update operator_tokens set revoked_at = now()
      where parent_id = any($1::uuid[]) and revoked_at is null returning id`,
    values: [parents],
  });
  return rows.map(({ id }) => id);
}

export function toOperatorToken(row: OperatorTokenRow): OperatorToken {
  return {
    id: formatId("operator_token", row.id),
    type: "operator_token",
    name: row.name,
    last4: row.last4,
    parent_id: row.parent_id === null ? null : formatId("operator_token", row.parent_id),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    created_at: uuidTimestamp(row.id),
  };
}
