import {
  type Follow,
  type FollowInput,
  type FollowStopReason,
  formatId,
  type NewEvent,
} from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { appendEvent, appendInputs, type EventRow } from "@berth/store/session-log";
import { lockSessionState } from "../state/session-state-store.ts";

/** Looks at one host that go on at once, on all machines. */
const MAX_LOOKS_AT_HOST = 4;

/** What is stored of a follow, as the API returns it except for ids. */
export type FollowRow = Omit<Follow, "pull_request" | "followed"> & {
  resource_id: string | null;
  number: number | null;
  url: string | null;
};

/** SQL for a `FollowRow` as JSON, from a row of `session_follows`. */
export const FOLLOW_JSON = `json_build_object('max_attempts', max_attempts, 'max_list_cost', max_list_cost, 'conflicts', conflicts,
  'status', session_follows.status, 'attempts', attempts, 'resource_id', resource_id, 'number', number, 'url', session_follows.url,
  'stopped_reason', stopped_reason, 'error', failure)`;

export function toFollow({ resource_id: resource, number, url, ...rest }: FollowRow): Follow {
  const followed =
    number === null || url === null
      ? null
      : { resource_id: resource === null ? null : formatId("session_resource", resource), number, url };
  const { max_attempts, max_list_cost, conflicts, status, attempts, stopped_reason, error } = rest;
  return {
    ...{ pull_request: true, max_attempts, max_list_cost, conflicts, status, attempts, followed },
    ...{ stopped_reason, error },
  };
}

/** Follows the session's pull request from now on, or with other bounds. One that was stopped begins anew. */
export async function storeFollow(
  tx: Queryable,
  sessionId: string,
  { max_attempts, max_list_cost, conflicts }: FollowInput,
): Promise<void> {
  await tx.query({
    name: "store_follow",
    text: `
      insert into session_follows as known (session_id, max_attempts, max_list_cost, conflicts, next_look_at)
      values ($1, $2, $3, $4, now())
      on conflict (session_id) do update set
        max_attempts = excluded.max_attempts, max_list_cost = excluded.max_list_cost, conflicts = excluded.conflicts,
        status = case when known.status = 'stopped' then 'waiting' else known.status end,
        accepts_head = known.status = 'stopped' or known.accepts_head,
        attempts = case when known.status = 'stopped' then 0 else known.attempts end,
        stopped_reason = null, failure = null, failures = 0, wait_ms = 0, next_look_at = now(),
        is_announced = known.status <> 'stopped' and known.is_announced,
        claim = null, claimed_until = null`,
    values: [sessionId, max_attempts, max_list_cost ?? null, conflicts],
  });
}

/**
 * Stops a follow, and appends the event unless the session has ended. Returns false if it has stopped already, or
 * if the claim no longer counts.
 *
 * @param claim null for a stop that somebody asks for.
 */
export async function stopFollow(
  tx: Queryable,
  sessionId: string,
  claim: string | null,
  reason: FollowStopReason,
): Promise<boolean> {
  const session = await lockSessionState(tx, sessionId);
  const { rows } = await tx.query<{ number: number | null; url: string | null }>({
    name: "stop_follow",
    text: `
      update session_follows set status = 'stopped', stopped_reason = $3, is_announced = false, gathered = '{}',
        gathered_at = null, failures = 0, wait_ms = 0, claim = null, claimed_until = null,
        next_look_at = case when number is not null then now() end
      where session_id = $1 and status <> 'stopped' and ($2::uuid is null or claim = $2)
      returning number, url`,
    values: [sessionId, claim, JSON.stringify(reason)],
  });
  const [row] = rows;
  if (row === undefined) return false;
  if (session !== null && !session.archived && !session.terminated) {
    const { number, url } = row;
    const pull_request = number === null || url === null ? null : { number, url };
    await appendEvent(tx, sessionId, { type: "session.follow_stopped", pull_request, reason });
  }
  return true;
}

/** Says that something changed about a session's pull request: its host is asked at once. */
export async function lookNow(db: Queryable, sessionId: string): Promise<void> {
  await db.query({
    name: "look_now",
    text: `update session_follows set next_look_at = now(), wait_ms = 0
      where session_id = $1 and status <> 'stopped' and next_look_at > now()`,
    values: [sessionId],
  });
}

/**
 * Says that a trigger's sender told of a repository: hosts of its followed pull requests are asked within two seconds,
 * however many events come. The trigger's connection says which host it is, and only sessions of its organization are meant.
 */
export async function lookSoon(db: Queryable, triggerId: string, repository: string): Promise<void> {
  await db.query({
    name: "look_soon",
    text: `
      update session_follows set next_look_at = now() + interval '2 seconds', wait_ms = 0
      from deployment_triggers as trigger
        join deployments on deployments.id = deployment_id
        join connections on connections.id = connection_id
      where trigger.id = $1 and host = split_part(connections.url, '//', 2) and repository = $2 and status = 'watching'
        and next_look_at > now() + interval '2 seconds'
        and exists (select from sessions where id = session_id and organization_id = deployments.organization_id)`,
    values: [triggerId, repository],
  });
}

/** A comment that Berth answers once the agent has pushed. */
export interface OpenAnswer {
  key: string;
  thread: string | null;
  author: string;
  url: string | null;
}

/** Somebody of whose comment the agent is not told. */
export interface LeftOut {
  author: string;
  url: string | null;
}

/** A follow whose host somebody asks. Ids are uuids. */
export interface ClaimedFollow {
  sessionId: string;
  status: "waiting" | "watching" | "stopped";
  maxAttempts: number;
  maxListCost: Follow["max_list_cost"];
  conflicts: "merge" | "rebase";
  attempts: number;
  stoppedReason: FollowStopReason | null;
  resourceId: string | null;
  number: number | null;
  url: string | null;
  branch: string | null;
  head: string | null;
  acceptsHead: boolean;
  taken: string[];
  gathered: string[];
  /** Whether nothing new was gathered for as long as is waited. */
  isQuiet: boolean;
  leftOut: LeftOut[];
  answers: OpenAnswer[];
  answersHead: string | null;
  isAnnounced: boolean;
  failures: number;
  waitMs: number;
  /** Whether the session was archived or terminated. */
  hasEnded: boolean;
  /** Whether the session has nothing to do, and waits for nobody. */
  isIdle: boolean;
  /** The session's last event. */
  lastSeq: string;
}

const IS_IDLE = `sessions.status = 'idle' and pending_at is null and set_aside_at is null and budget_stop is null
  and last_turn_outcome is distinct from 'requires_action'`;

/**
 * Claims the follows whose hosts are to be asked, those that are due longest first. A claim ends by itself, so that
 * the look of a process that died is made again.
 */
export async function claimFollows(
  db: Queryable,
  { claim, leaseMs, limit, quietMs }: { claim: string; leaseMs: number; limit: number; quietMs: number },
): Promise<ClaimedFollow[]> {
  const { rows } = await db.query<ClaimedFollow>({
    name: "claim_follows",
    text: `
      with asked as (
        select host, count(*) as looks from session_follows
        where next_look_at is not null and claimed_until > now() and host is not null group by host
      ), ranked as (
        select session_id, host, row_number() over (partition by host order by next_look_at) as place
        from session_follows where next_look_at <= now() and (claimed_until is null or claimed_until <= now())
      ), due as (
        select session_id from session_follows
        where session_id in (
            select session_id from ranked left join asked on asked.host = ranked.host
            where ranked.host is null or place + coalesce(looks, 0) <= ${MAX_LOOKS_AT_HOST}
          ) and next_look_at <= now() and (claimed_until is null or claimed_until <= now())
        order by next_look_at limit $3 for update skip locked
      )
      update session_follows set claim = $1, claimed_until = now() + $2 * interval '1 millisecond'
      from due join sessions on sessions.id = due.session_id
      where session_follows.session_id = due.session_id
      returning session_follows.session_id as "sessionId", session_follows.status, max_attempts as "maxAttempts",
        max_list_cost as "maxListCost", conflicts, attempts, stopped_reason as "stoppedReason", resource_id as "resourceId",
        number, url, branch, head, accepts_head as "acceptsHead", taken, gathered,
        coalesce(gathered_at <= now() - $4 * interval '1 millisecond', false) as "isQuiet", left_out as "leftOut", answers,
        answers_head as "answersHead", is_announced as "isAnnounced", failures, wait_ms as "waitMs",
        sessions.archived_at is not null or terminated_at is not null or deleted_at is not null as "hasEnded",
        ${IS_IDLE} as "isIdle", last_seq::text as "lastSeq"`,
    values: [claim, leaseMs, limit, quietMs],
  });
  return rows;
}

/** Whether a session has rested since its event `seq`. */
export async function hasRested(db: Queryable, sessionId: string, seq: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "session_rested",
    text: `select from sessions where id = $1 and last_seq = $2 and ${IS_IDLE}`,
    values: [sessionId, seq],
  });
  return rowCount === 1;
}

/** Whether a session has repositories, and none with a credential by which its host can be asked. */
export async function lacksCredential(db: Queryable, sessionId: string): Promise<boolean> {
  const { rows } = await db.query<{ lacks: boolean | null }>({
    name: "follow_lacks_credential",
    text: `select bool_and(connection_id is null and (type = 'git_repository' or secret is null)) as lacks
      from session_resources where session_id = $1 and type in ('hosted_repository', 'git_repository')`,
    values: [sessionId],
  });
  return rows[0]?.lacks === true;
}

/** A pull request that a session begins to follow. */
export interface FoundFollow {
  resourceId: string | null;
  host: string;
  repository: string;
  number: number;
  url: string;
  branch: string;
}

/** Begins to follow a pull request, with its event. Returns false if another session follows it. */
export async function beginFollow(
  tx: Queryable,
  { sessionId, claim }: { sessionId: string; claim: string },
  { resourceId, host, repository, number, url, branch }: FoundFollow,
): Promise<boolean> {
  if (!(await isActive(tx, sessionId))) return true;
  // Of two sessions that begin at once, the second waits for the first.
  await tx.query({
    text: "select pg_advisory_xact_lock(hashtextextended('follow ' || $1, 0))",
    values: [`${host}/${repository}#${number}`],
  });
  const { rows } = await tx.query<{ began: boolean; taken: boolean }>({
    name: "begin_follow",
    text: `
      with others as (
        select from session_follows
        where host = $4 and repository = $5 and number = $6 and status = 'watching' and session_id <> $1
      ), began as (
        update session_follows set status = 'watching', resource_id = $3, host = $4, repository = $5, number = $6,
          url = $7, branch = $8, head = null, failure = null, failures = 0
        where session_id = $1 and claim = $2 and status = 'waiting' and not exists (select from others)
        returning session_id
      )
      select exists (select from began) as began, exists (select from others) as taken`,
    values: [sessionId, claim, resourceId, host, repository, number, url, branch],
  });
  if (rows[0]?.began !== true) return rows[0]?.taken !== true;
  await appendEvent(tx, sessionId, { type: "session.follow_started", pull_request: { number, url } });
  return true;
}

/** What a look found, to be stored. */
export interface LookOutcome {
  head: string | null;
  taken: readonly string[];
  gathered: readonly string[];
  /** Whether what was gathered changed. */
  isNew: boolean;
  leftOut: readonly LeftOut[];
  answers: readonly OpenAnswer[];
  isAnnounced: boolean;
  /** One sentence; null if the host said all. */
  failure: string | null;
  failures: number;
  /** Milliseconds until the next look; null for none. */
  waitMs: number | null;
}

/** Stores what a look found, and ends its claim. Does nothing if the claim no longer counts. */
export async function storeLook(
  db: Queryable,
  { sessionId, claim }: { sessionId: string; claim: string },
  outcome: LookOutcome,
): Promise<void> {
  await db.query({
    name: "store_look",
    text: `
      update session_follows set head = $3, accepts_head = accepts_head and $3::text is null, taken = $4, gathered = $5,
        gathered_at = case when $6 then now() else gathered_at end, left_out = $7, answers = $8, is_announced = $9,
        failure = $10, failures = $11, next_look_at = now() + $12 * interval '1 millisecond',
        wait_ms = coalesce($12, 0), claim = null, claimed_until = null
      where session_id = $1 and claim = $2`,
    values: [
      ...[sessionId, claim, outcome.head, outcome.taken, outcome.gathered, outcome.isNew],
      ...[JSON.stringify(outcome.leftOut), JSON.stringify(outcome.answers), outcome.isAnnounced],
      ...[outcome.failure, outcome.failures, outcome.waitMs],
    ],
  });
}

/** Ends a claim, so that the next look comes at once. */
export async function endClaim(db: Queryable, { sessionId, claim }: Record<"sessionId" | "claim", string>) {
  await db.query({
    name: "end_follow_claim",
    text: `update session_follows set claim = null, claimed_until = null, next_look_at = now()
      where session_id = $1 and claim = $2`,
    values: [sessionId, claim],
  });
}

/** What the agent is told. */
export interface HandOver {
  event: Extract<NewEvent, { type: "session.follow_handed_over" }>;
  content: Extract<NewEvent, { type: "user.message" }>["content"];
  /** Keys of what the message has. */
  keys: readonly string[];
  head: string;
  answers: readonly OpenAnswer[];
  waitMs: number;
}

/**
 * Appends a message with what happened, and notes that the agent was told of it, in the caller's transaction: both
 * or neither. Returns false, having done nothing, if the claim no longer counts, or the session takes no message now.
 */
export async function handOver(
  tx: Queryable,
  { sessionId, claim }: { sessionId: string; claim: string },
  { event, content, keys, head, answers, waitMs }: HandOver,
): Promise<EventRow[] | null> {
  if (!(await isActive(tx, sessionId))) return null;
  const { rowCount } = await tx.query({
    name: "note_hand_over",
    text: `
      update session_follows set attempts = attempts + 1, taken = taken || $3::text[], gathered = '{}', gathered_at = null,
        left_out = '[]', head = $4, accepts_head = false, answers = answers || $5::jsonb, answers_head = $4, is_announced = true,
        failure = null, failures = 0, next_look_at = now() + $6 * interval '1 millisecond', wait_ms = $6,
        claim = null, claimed_until = null
      where session_id = $1 and claim = $2 and status = 'watching'`,
    values: [sessionId, claim, keys, head, JSON.stringify(answers), waitMs],
  });
  if (rowCount !== 1) return null;
  const appended = await appendInputs(tx, sessionId, [{ type: "user.message", content }]);
  if (typeof appended === "string") throw new HandOverRejected();
  await appendEvent(tx, sessionId, event);
  return appended;
}

/** The session takes no message now, so nothing was handed over. */
export class HandOverRejected extends Error {
  override readonly name = "HandOverRejected";
}

/** Locks a session's row. Returns false if it has ended. */
async function isActive(tx: Queryable, sessionId: string): Promise<boolean> {
  const session = await lockSessionState(tx, sessionId);
  return session !== null && !session.archived && !session.terminated;
}
