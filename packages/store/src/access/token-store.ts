import type { SignIn } from "@berth/contract";
import type { Queryable } from "../db/statement.ts";
import type { Principal } from "./principal.ts";
import type { TokenKind } from "./token-secret.ts";

export interface FoundToken {
  principal: Principal;
  revoked: boolean;
  expired: boolean;
  /** Whether the user or the service account was disabled or deleted. */
  disabled: boolean;
  /** Whether `last_used_at` is more than a minute old. */
  stale: boolean;
}

interface FoundRow extends Omit<FoundToken, "principal"> {
  id: string;
  organization_id: string;
  kind: TokenKind;
  principal_id: string;
  scopes: string[];
  role: Principal["role"];
  signed_in_by: SignIn | null;
}

/** Returns the token with this hash, or null. The database's clock decides about expiry. */
export async function findToken(db: Queryable, hash: Buffer): Promise<FoundToken | null> {
  const { rows } = await db.query<FoundRow>({
    name: "find_token",
    text: `
      select t.id, t.organization_id, t.kind, t.principal_id, t.scopes,
        coalesce(u.role, 'member') as role, t.signed_in_by,
        t.revoked_at is not null as revoked,
        coalesce(t.expires_at <= now(), false) as expired,
        coalesce(u.disabled_at, s.disabled_at) is not null or (t.kind = 'console' and u.id is null) as disabled,
        coalesce(t.last_used_at < now() - interval '1 minute', true) as stale
      from tokens t
      left join users u on t.kind in ('pat', 'console') and u.id = t.principal_id
      left join service_accounts s on t.kind = 'sat' and s.id = t.principal_id
      where t.hash = $1`,
    values: [hash],
  });
  const row = rows[0];
  if (row === undefined) return null;
  const { revoked, expired, disabled, stale } = row;
  return { principal: principalOf(row), revoked, expired, disabled, stale };
}

function principalOf(row: FoundRow): Principal {
  return {
    tokenId: row.id,
    organizationId: row.organization_id,
    kind: row.kind === "sat" ? "service_account" : "user",
    id: row.principal_id,
    role: row.role,
    scopes: new Set(row.scopes),
    signedInBy: row.signed_in_by,
  };
}

/** Sets `last_used_at`, at most once a minute. */
export async function touchToken(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "touch_token",
    text: `update tokens set last_used_at = now()
      where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    values: [id],
  });
}

/** Returns the tokens that are valid: not revoked, not expired, and of a principal that is not disabled. */
export async function validTokens(db: Queryable, tokenIds: readonly string[]): Promise<Set<string>> {
  if (tokenIds.length === 0) return new Set();
  const { rows } = await db.query<{ id: string }>({
    name: "valid_tokens",
    text: `
      select tokens.id from tokens
      left join users on users.id = tokens.principal_id
      left join service_accounts on service_accounts.id = tokens.principal_id
      where tokens.id = any($1::uuid[]) and revoked_at is null
        and users.disabled_at is null and service_accounts.disabled_at is null
        and (expires_at is null or expires_at > now())`,
    values: [tokenIds],
  });
  return new Set(rows.map((row) => row.id));
}
