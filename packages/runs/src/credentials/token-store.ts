import type { ConnectionAuth } from "@berth/contract";
import type { Queryable } from "@berth/store/db";

/** A repository whose next token somebody makes, with its connection. Ids are uuids. */
export interface TokenClaim {
  /** uuid of the row of session_tokens, in which the token is stored. */
  id: string;
  resourceId: string;
  connection: StoredConnection;
  /** The full name at the host. */
  repository: string;
  access: "read_write" | "read_only";
}

export interface StoredConnection {
  id: string;
  url: string;
  apiUrl: string | null;
  auth: ConnectionAuth;
  secret: Buffer;
}

interface ConnectionColumns {
  connection_id: string;
  host_url: string;
  api_url: string | null;
  auth: ConnectionAuth;
  connection_secret: Buffer;
}

const CONNECTION = `connections.id as connection_id, connections.url as host_url, api_url, auth,
    connections.secret as connection_secret`;

const NOT_ENDED = "archived_at is null and terminated_at is null and deleted_at is null";

/**
 * Claims the making of a repository's next token, and stores that it may be made. Only one claim of a
 * repository is valid at a time, on any number of machines, so that its host is asked once. Returns null if
 * no token is due, somebody else makes it, or the session has ended.
 */
export async function claimToken(
  db: Queryable,
  resourceId: string,
  claim: { id: string; milliseconds: number },
): Promise<TokenClaim | null> {
  const { rows } = await db.query<
    ConnectionColumns & { repository: string; access: TokenClaim["access"] | null }
  >({
    name: "claim_token",
    text: `
      with claimed as (
        update session_resources set token_claim = $2, token_claimed_until = now() + $3 * interval '1 millisecond'
        from sessions, connections
        where session_resources.id = $1 and sessions.id = session_id and connections.id = connection_id and ${NOT_ENDED}
          and (session_resources.secret is null or token_renew_at <= now())
          and (token_claimed_until is null or token_claimed_until <= now())
        returning session_id, ${CONNECTION}, repository_access as access,
          regexp_replace(regexp_replace(session_resources.url, '^https?://[^/]+/', ''), '\\.git$', '') as repository
      ), noted as (
        insert into session_tokens (id, connection_id, session_id, resource_id, repository, due_at)
        select $2, connection_id, session_id, $1, repository, now() + 2 * $3 * interval '1 millisecond' from claimed
      )
      select * from claimed`,
    values: [resourceId, claim.id, claim.milliseconds],
  });
  const [row] = rows;
  if (row === undefined) return null;
  const { repository, access } = row;
  return {
    ...{ id: claim.id, resourceId, repository, access: access ?? "read_write" },
    connection: connectionOf(row),
  };
}

/** Whether a repository needs a token, and somebody makes it. */
export interface TokenState {
  isDue: boolean;
  /** Whether there is a token that has not ended. */
  isUsable: boolean;
  isClaimed: boolean;
}

/** Returns null for a repository without a connection, or of a session that has ended. */
export async function readTokenState(db: Queryable, resourceId: string): Promise<TokenState | null> {
  const { rows } = await db.query<TokenState>({
    name: "token_state",
    text: `
      select session_resources.secret is null or coalesce(token_renew_at <= now(), false) as "isDue",
        session_resources.secret is not null and coalesce(token_expires_at > now(), true) as "isUsable",
        coalesce(token_claimed_until > now(), false) as "isClaimed"
      from session_resources join sessions on sessions.id = session_id
      where session_resources.id = $1 and connection_id is not null and ${NOT_ENDED}`,
    values: [resourceId],
  });
  return rows[0] ?? null;
}

export interface StoredToken {
  /** The token, sealed for the repository. */
  secret: Buffer;
  /** The token to revoke, sealed for session_tokens; null for the connection's own. */
  own: { token: Buffer; hostId: string | null } | null;
  /** Milliseconds until it ends, and until the next one is due; null for a token that does not end. */
  endsInMs: number | null;
  renewInMs: number | null;
}

/**
 * Stores a token that was made. If the claim is no longer valid, another token is in use, and this one is
 * only kept for its revocation.
 */
export async function storeToken(
  db: Queryable,
  { id, resourceId }: Pick<TokenClaim, "id" | "resourceId">,
  { secret, own, endsInMs, renewInMs }: StoredToken,
): Promise<void> {
  await db.query({
    name: own === null ? "store_shared_token" : "store_token",
    text: `
      with noted as (
        ${
          own === null
            ? "delete from session_tokens where id = $2"
            : `update session_tokens set token = $6, host_id = $7, due_at = now(),
                expires_at = now() + $4 * interval '1 millisecond'
              where id = $2`
        }
      )
      update session_resources set secret = $3, token_expires_at = now() + $4 * interval '1 millisecond',
        token_renew_at = now() + $5 * interval '1 millisecond', token_claim = null, token_claimed_until = null
      where id = $1 and token_claim = $2`,
    values: [
      ...[resourceId, id, secret, endsInMs, renewInMs],
      ...(own === null ? [] : [own.token, own.hostId]),
    ],
  });
}

/**
 * Gives up a claim. A token that is in use is not renewed for `waitMs`.
 *
 * @param isMade whether the host may have made the token nevertheless, which is then looked for and revoked.
 */
export async function giveUpClaim(
  db: Queryable,
  { id, resourceId }: Pick<TokenClaim, "id" | "resourceId">,
  { waitMs, isMade }: { waitMs: number; isMade: boolean },
): Promise<void> {
  await db.query({
    name: "give_up_token_claim",
    text: `
      with noted as (delete from session_tokens where id = $2 and not $4)
      update session_resources set token_claim = null, token_claimed_until = null,
        token_renew_at = case when secret is not null then now() + $3 * interval '1 millisecond' end
      where id = $1 and token_claim = $2`,
    values: [resourceId, id, waitMs, isMade],
  });
}

/** A token to revoke, with its connection. */
export interface TokenToRevoke {
  id: string;
  connection: StoredConnection;
  repository: string;
  token: Buffer | null;
  hostId: string | null;
  attempts: number;
}

/**
 * Claims tokens to revoke: those of sessions that have ended, and those of which nobody knows whether they
 * were made. The next attempt of each is due later, and later each time.
 */
export async function claimRevocations(db: Queryable, limit: number): Promise<TokenToRevoke[]> {
  const { rows } = await db.query<
    ConnectionColumns & Omit<TokenToRevoke, "connection" | "hostId"> & { host_id: string | null }
  >({
    name: "claim_revocations",
    text: `
      with due as (
        select id from session_tokens
        where due_at <= now() and (
          (token is null and not exists (
            select from session_resources where token_claim = session_tokens.id and token_claimed_until > now()
          ))
          or not exists (select from sessions where sessions.id = session_id and ${NOT_ENDED})
        )
        order by due_at limit $1 for update skip locked
      )
      update session_tokens set attempts = attempts + 1,
        due_at = now() + least(3600, 10 * power(2, least(attempts, 10))) * interval '1 second'
      from due, connections
      where session_tokens.id = due.id and connections.id = connection_id
      returning session_tokens.id, repository, token, host_id, attempts, ${CONNECTION}`,
    values: [limit],
  });
  return rows.map((row) => ({
    ...{ id: row.id, repository: row.repository, token: row.token, attempts: row.attempts },
    ...{ hostId: row.host_id, connection: connectionOf(row) },
  }));
}

/** Records why a token could not be revoked. */
export async function noteRevocationFailure(db: Queryable, id: string, failure: string): Promise<void> {
  const text = "update session_tokens set failure = $2 where id = $1";
  await db.query({ name: "note_revocation_failure", text, values: [id, failure] });
}

export async function deleteToken(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "delete_session_token",
    text: "delete from session_tokens where id = $1",
    values: [id],
  });
}

/** Deletes the rows of tokens that have ended by themselves. */
export async function deleteEndedTokens(db: Queryable): Promise<void> {
  const text = "delete from session_tokens where expires_at < now() - interval '10 minutes'";
  await db.query({ name: "delete_ended_tokens", text, values: [] });
}

function connectionOf(row: ConnectionColumns): StoredConnection {
  return {
    ...{ id: row.connection_id, url: row.host_url, apiUrl: row.api_url, auth: row.auth },
    secret: row.connection_secret,
  };
}
