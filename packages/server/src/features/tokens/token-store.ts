import type { Token } from "@berth/contract";
import { formatId, uuidTimestamp } from "@berth/contract";
import type { KeysetPlace } from "../../db/keyset.ts";
import { selectReached } from "../../db/keyset.ts";
import type { Queryable } from "../../db/statement.ts";
import type { Owner, Principal } from "../../http/principal.ts";

export interface TokenRow extends Owner {
  id: string;
  kind: "pat" | "sat";
  principal_id: string;
  name: string;
  scopes: string[];
  last4: string;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
  updated_at: Date;
}

export type NewToken = Omit<TokenRow, "last_used_at" | "revoked_at" | "updated_at"> & { hash: Buffer };

const columns = `id, organization_id, owner_type, owner_id, kind, principal_id, name, scopes, last4,
  expires_at, last_used_at, revoked_at, updated_at`;

export interface FoundToken {
  principal: Principal;
  revoked: boolean;
  expired: boolean;
  /** The user or the service account was disabled. */
  disabled: boolean;
  /** The last use was noted more than a minute ago. */
  stale: boolean;
}

/** The token with this hash, judged by the clock of the database; null when there is none. */
export async function findToken(db: Queryable, hash: Buffer): Promise<FoundToken | null> {
  const { rows } = await db.query<FoundRow>({
    name: "find_token",
    text: `
      select t.id, t.organization_id, t.kind, t.principal_id, t.scopes,
        coalesce(u.role, 'member') as role,
        t.revoked_at is not null as revoked,
        coalesce(t.expires_at <= now(), false) as expired,
        coalesce(u.disabled_at, s.disabled_at) is not null as disabled,
        coalesce(t.last_used_at < now() - interval '1 minute', true) as stale
      from tokens t
      left join users u on t.kind = 'pat' and u.id = t.principal_id
      left join service_accounts s on t.kind = 'sat' and s.id = t.principal_id
      where t.hash = $1`,
    values: [hash],
  });
  const row = rows[0];
  if (row === undefined) return null;
  const { revoked, expired, disabled, stale } = row;
  return { principal: principalOf(row), revoked, expired, disabled, stale };
}

type FoundRow = Omit<FoundToken, "principal"> &
  Pick<TokenRow, "id" | "organization_id" | "kind" | "principal_id" | "scopes"> & {
    role: "member" | "admin";
  };

function principalOf(row: FoundRow): Principal {
  return {
    tokenId: row.id,
    organizationId: row.organization_id,
    kind: row.kind === "pat" ? "user" : "service_account",
    id: row.principal_id,
    role: row.role,
    scopes: new Set(row.scopes),
  };
}

/** Notes a use, at most once a minute. */
export async function touchToken(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "touch_token",
    text: `update tokens set last_used_at = now()
      where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    values: [id],
  });
}

export async function insertToken(db: Queryable, token: NewToken): Promise<TokenRow> {
  const { rows } = await db.query<TokenRow>({
    name: "insert_token",
    text: `
      insert into tokens (id, organization_id, owner_type, owner_id, kind, principal_id, name, scopes, last4,
        expires_at, hash, updated_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
      returning ${columns}`,
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
      token.hash,
      uuidTimestamp(token.id),
    ],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("The token was not stored.");
  return row;
}

export async function listTokens(
  db: Queryable,
  principal: Principal,
  place: KeysetPlace,
): Promise<TokenRow[]> {
  return await selectReached<TokenRow>(db, principal, place, { table: "tokens", columns });
}

export async function getToken(db: Queryable, id: string): Promise<TokenRow | null> {
  const text = `select ${columns} from tokens where id = $1`;
  return (await db.query<TokenRow>({ name: "get_token", text, values: [id] })).rows[0] ?? null;
}

/** Revokes a token from now on; of one that is revoked already nothing changes. */
export async function revokeToken(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "revoke_token",
    text: "update tokens set revoked_at = now(), updated_at = now() where id = $1 and revoked_at is null",
    values: [id],
  });
}

/** The service account of this name, made when it is missing. Answers its uuid. */
export async function serviceAccountNamed(
  db: Queryable,
  organizationId: string,
  name: string,
  newId: string,
): Promise<string> {
  const { rows } = await db.query<{ id: string }>({
    name: "service_account_named",
    text: `
      insert into service_accounts (id, organization_id, name) values ($1, $2, $3)
      on conflict (organization_id, name) do update set name = excluded.name
      returning id`,
    values: [newId, organizationId, name],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("The service account was not stored.");
  return row.id;
}

/** The token as the API answers it. */
export function tokenAnswer(row: TokenRow): Token {
  return {
    id: formatId("token", row.id),
    type: "token",
    kind: row.kind,
    name: row.name,
    scopes: row.scopes as Token["scopes"],
    last4: row.last4,
    owner_type: row.owner_type,
    owner_id: formatId(row.owner_type, row.owner_id),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    created_at: uuidTimestamp(row.id),
    updated_at: row.updated_at.toISOString(),
  };
}
