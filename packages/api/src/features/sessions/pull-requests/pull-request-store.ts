import type { ConnectionAuth, PullRequest } from "@berth/contract";
import type { Queryable } from "@berth/store/db";

const NOT_ENDED = "archived_at is null and terminated_at is null and deleted_at is null";
const REPOSITORY = "session_resources.type in ('hosted_repository', 'git_repository')";

/** A repository whose host is asked, with its credential. Ids are uuids. */
export interface RepositoryAccess {
  resourceId: string;
  type: "hosted_repository" | "git_repository";
  url: string;
  /** Sealed; null if the session has none, or none that is valid. */
  secret: Buffer | null;
  connection: {
    id: string;
    url: string;
    apiUrl: string | null;
    auth: ConnectionAuth;
    secret: Buffer;
  } | null;
}

/** A repository whose host somebody asks. */
export interface PullRequestClaim extends RepositoryAccess {
  branches: string[];
  known: PullRequest[];
}

const ACCESS = `session_resources.id as "resourceId", session_resources.type, session_resources.url,
        case when ${NOT_ENDED} and coalesce(token_expires_at > now(), true) then session_resources.secret end as secret,
        connections.id as connection_id, connections.url as connection_url, api_url, auth,
        connections.secret as connection_secret`;

/**
 * Claims the repositories of a session whose hosts are to be asked: those of which nobody asks, that were asked
 * long enough ago, and whose hosts do not want to wait. A token that was given is not used after the session.
 */
export async function claimPullRequests(
  db: Queryable,
  sessionId: string,
  claim: { id: string; milliseconds: number; ageSeconds: number },
): Promise<PullRequestClaim[]> {
  const { rows } = await db.query<Omit<PullRequestClaim, "connection"> & ConnectionColumns>({
    name: "claim_pull_requests",
    text: `
      update session_pull_requests set claim = $2, claimed_until = now() + $3 * interval '1 millisecond'
      from session_resources join sessions on sessions.id = session_id
        left join connections on connections.id = connection_id
      where session_id = $1 and resource_id = session_resources.id and branches <> '{}'
        and (connection_id is not null or ${NOT_ENDED})
        and (claimed_until is null or claimed_until <= now())
        and (asked_at is null or asked_at <= now() - $4 * interval '1 second')
        and (session_pull_requests.retry_at is null or session_pull_requests.retry_at <= now())
      returning branches, found as known, ${ACCESS}`,
    values: [sessionId, claim.id, claim.milliseconds, claim.ageSeconds],
  });
  return rows.map(withConnection);
}

/** Returns by what a repository's host is asked; null for a repository that is gone. */
export async function repositoryAccess(db: Queryable, resourceId: string): Promise<RepositoryAccess | null> {
  const { rows } = await db.query<Omit<RepositoryAccess, "connection"> & ConnectionColumns>({
    name: "repository_access",
    text: `select ${ACCESS} from session_resources join sessions on sessions.id = session_id
        left join connections on connections.id = connection_id
      where session_resources.id = $1`,
    values: [resourceId],
  });
  return rows.map(withConnection)[0] ?? null;
}

function withConnection<Row extends ConnectionColumns>({
  connection_id,
  connection_url,
  api_url,
  auth,
  connection_secret,
  ...row
}: Row) {
  return {
    ...row,
    connection:
      connection_id === null || connection_url === null || auth === null || connection_secret === null
        ? null
        : { id: connection_id, url: connection_url, apiUrl: api_url, auth, secret: connection_secret },
  };
}

interface ConnectionColumns {
  connection_id: string | null;
  connection_url: string | null;
  api_url: string | null;
  auth: ConnectionAuth | null;
  connection_secret: Buffer | null;
}

/** What a host said, or why it did not. */
export interface PullRequestOutcome {
  /** Null if it said nothing: what it said before stays. */
  found: readonly PullRequest[] | null;
  /** One sentence; null if it said all. */
  failure: string | null;
  /** Milliseconds for which the host asks to wait; null if it does not say. */
  waitMs: number | null;
}

/** Stores an outcome and ends its claim. An outcome whose claim has ended is not stored. */
export async function storePullRequests(
  db: Queryable,
  { resourceId, claim }: { resourceId: string; claim: string },
  { found, failure, waitMs }: PullRequestOutcome,
): Promise<void> {
  await db.query({
    name: "store_pull_requests",
    text: `
      update session_pull_requests set found = coalesce($3::jsonb, found),
        refreshed_at = case when $3::jsonb is null then refreshed_at else now() end,
        asked_at = now(), failure = $4, retry_at = now() + $5 * interval '1 millisecond',
        claim = null, claimed_until = null
      where resource_id = $1 and claim = $2`,
    values: [resourceId, claim, found === null ? null : JSON.stringify(found), failure, waitMs],
  });
}

/** Whether somebody asks a host for a session. */
export async function isAsked(db: Queryable, sessionId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "pull_requests_asked",
    text: `
      select from session_pull_requests join session_resources on session_resources.id = resource_id
      where session_id = $1 and claimed_until > now() limit 1`,
    values: [sessionId],
  });
  return rowCount === 1;
}

export interface PullRequestRow {
  resource_id: string;
  url: string;
  branches: string[] | null;
  found: PullRequest[] | null;
  refreshed_at: Date | null;
  failure: string | null;
  asked_at: Date | null;
  retry_at: Date | null;
}

/** Returns what is known of a session's repositories, in the order of its resources. */
export async function readPullRequests(db: Queryable, sessionId: string): Promise<PullRequestRow[]> {
  const { rows } = await db.query<PullRequestRow>({
    name: "read_pull_requests",
    text: `
      select session_resources.id as resource_id, url, branches, found, refreshed_at,
        session_pull_requests.failure, asked_at, session_pull_requests.retry_at
      from session_resources left join session_pull_requests on resource_id = session_resources.id
      where session_id = $1 and ${REPOSITORY}
      order by session_resources.id`,
    values: [sessionId],
  });
  return rows;
}
