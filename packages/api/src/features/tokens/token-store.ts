import { formatId, type SignIn, type Token, uuidTimestamp } from "@berth/contract";
import {
  type Owner,
  ownerBranches,
  type Principal,
  requireAccess,
  type TokenKind,
} from "@berth/store/access";
import { type KeysetRange, type Queryable, selectKeyset } from "@berth/store/db";

export interface TokenRow extends Owner {
  id: string;
  kind: TokenKind;
  signed_in_by: SignIn | null;
  principal_id: string;
  name: string;
  scopes: string[];
  last4: string;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
  parent_id: string | null;
  independent: boolean;
  updated_at: Date;
}

export type NewToken = Omit<TokenRow, "last_used_at" | "revoked_at" | "updated_at"> & { hash: Buffer };

/** The columns of a `TokenRow`. */
export const TOKEN_COLUMNS = `id, organization_id, owner_type, owner_id, kind, signed_in_by, principal_id, name, scopes, last4,
  expires_at, last_used_at, revoked_at, parent_id, independent, updated_at`;

export async function insertToken(db: Queryable, token: NewToken): Promise<TokenRow> {
  const { rows } = await db.query<TokenRow>({
    name: "insert_token",
    text: `
      insert into tokens (id, organization_id, owner_type, owner_id, kind, principal_id, name, scopes, last4,
        expires_at, parent_id, independent, hash, updated_at, signed_in_by)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
      returning ${TOKEN_COLUMNS}`,
    values: [
      token.id,
      token.organization_id,
      token.owner_type,
      token.owner_id,
      token.kind,
      token.principal_id,
      token.name,
      token.scopes,
      token.last4,
      token.expires_at,
      token.parent_id,
      token.independent,
      token.hash,
      uuidTimestamp(token.id),
      token.signed_in_by,
    ],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("The token was not stored.");
  return row;
}

export async function listTokens(
  db: Queryable,
  principal: Principal,
  range: KeysetRange,
): Promise<TokenRow[]> {
  return await selectKeyset<TokenRow>(
    db,
    range,
    { table: "tokens", columns: TOKEN_COLUMNS },
    ownerBranches(principal),
  );
}

export async function getToken(db: Queryable, id: string): Promise<TokenRow | null> {
  const text = `select ${TOKEN_COLUMNS} from tokens where id = $1`;
  return (await db.query<TokenRow>({ name: "get_token", text, values: [id] })).rows[0] ?? null;
}

/** @throws errors.notFound, errors.notYours */
export const requireToken = requireAccess("token", getToken);

/** Revokes a token. Does nothing if it is revoked already. */
export async function setRevoked(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "revoke_token",
    text: "update tokens set revoked_at = now(), updated_at = now() where id = $1 and revoked_at is null",
    values: [id],
  });
}

/** Revokes the dependent children of these tokens. Returns the ids of those that were not revoked before. */
export async function revokeChildren(tx: Queryable, parents: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: "revoke_child_tokens",
    text: `update tokens set revoked_at = now(), updated_at = now()
      where parent_id = any($1::uuid[]) and not independent and revoked_at is null returning id`,
    values: [parents],
  });
  return rows.map(({ id }) => id);
}

/**
 * Days for which a token lasts that was created in a sign-in by an identity provider, which cannot revoke it
 * when it disables the account.
 */
const DAYS_OF_PROVIDER = 90;

/**
 * SQL expression for the latest expiry of a token's children: that of the token. Children of a console
 * sign-in become children of the token with which it was made, and so have that token's expiry. Those of an
 * identity provider's sign-in last 90 days.
 */
export const CHILD_EXPIRES_AT = `case
  when kind <> 'console' then expires_at
  when signed_in_by = 'oidc' then now() + interval '${DAYS_OF_PROVIDER} days'
  else (select origin.expires_at from tokens as origin where origin.id = tokens.parent_id) end`;

/**
 * Locks a token until the transaction ends. A concurrent revocation happens before a child is created, or
 * afterwards and then revokes the child too. Returns null when the token is revoked. `expires_at` is the
 * latest expiry of a child.
 */
export async function lockParent(tx: Queryable, id: string): Promise<Pick<TokenRow, "expires_at"> | null> {
  const { rows } = await tx.query<Pick<TokenRow, "expires_at">>({
    name: "lock_parent_token",
    text: `select ${CHILD_EXPIRES_AT} as expires_at
      from tokens where id = $1 and revoked_at is null for share of tokens`,
    values: [id],
  });
  return rows[0] ?? null;
}

export function toToken(row: TokenRow): Token {
  return {
    id: formatId("token", row.id),
    type: "token",
    kind: row.kind,
    signed_in_by: row.signed_in_by,
    name: row.name,
    scopes: row.scopes as Token["scopes"],
    last4: row.last4,
    owner_type: row.owner_type,
    owner_id: formatId(row.owner_type, row.owner_id),
    parent_id: row.parent_id === null ? null : formatId("token", row.parent_id),
    independent: row.independent,
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    created_at: uuidTimestamp(row.id),
    updated_at: row.updated_at.toISOString(),
  };
}
