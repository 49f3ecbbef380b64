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
  default_visibility: Principal["defaultVisibility"];
  signed_in_by: SignIn | null;
}

/** Returns the token with this hash, or null. The database's clock decides about expiry. */
export async function findToken(db: Queryable, hash: Buffer): Promise<FoundToken | null> {
  const { rows } = await db.query<FoundRow>({
    name: "find_token",
    text: `
      select t.id, t.organization_id, t.kind, t.principal_id, t.scopes,
        coalesce(u.role, 'member') as role, o.default_visibility, t.signed_in_by,
        t.revoked_at is not null as revoked,
        coalesce(t.expires_at <= now(), false) as expired,
        coalesce(u.disabled_at, s.disabled_at) is not null or (t.kind = 'console' and u.id is null) as disabled,
        coalesce(t.last_used_at < now() - interval '1 minute', true) as stale
      from tokens t
      join organizations o on o.id = t.organization_id
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
    defaultVisibility: row.default_visibility,
    needs: "own",
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

/** A token with which a session is followed. Ids are uuids. */
export interface Following {
  tokenId: string;
  sessionId: string;
}

/**
 * Returns those of which the token is valid (not revoked, not expired, and of a principal that is not
 * disabled) and still has access to the session.
 */
export async function validFollowings(db: Queryable, all: readonly Following[]): Promise<Following[]> {
  if (all.length === 0) return [];
  const { rows } = await db.query<Following>({
    name: "valid_followings",
    text: `
      select tokens.id as "tokenId", sessions.id as "sessionId"
      from unnest($1::uuid[], $2::uuid[]) as given (token_id, session_id)
      join tokens on tokens.id = token_id
      join sessions on sessions.id = session_id and sessions.organization_id = tokens.organization_id
      left join users on users.id = tokens.principal_id
      left join service_accounts on service_accounts.id = tokens.principal_id
      where revoked_at is null
        and users.disabled_at is null and service_accounts.disabled_at is null
        and (expires_at is null or expires_at > now())
        and (users.role = 'admin' or sessions.owner_id in (tokens.principal_id, tokens.organization_id)
          or organization_access is not null
          or exists (select from shares where object_id = sessions.id and user_id = tokens.principal_id))`,
    values: [all.map(({ tokenId }) => tokenId), all.map(({ sessionId }) => sessionId)],
  });
  return rows;
}
