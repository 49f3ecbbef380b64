import {
  type ArchivedFilter,
  accessCondition,
  accessibleBranches,
  branchesOfValues,
  type Principal,
  splitBranches,
  unlessArchived,
} from "@berth/store/access";
import {
  assembled,
  type Branch,
  type Condition,
  condition,
  FIRST,
  joined,
  type KeysetRange,
  LAST,
  measured,
  type Queryable,
  selectKeyset,
  selectSpan,
} from "@berth/store/db";
import { areCommonWords, sessionsWithWords } from "./search/session-words-store.ts";
import { wordsQuery } from "./search/words.ts";
import { deskBranches, deskCondition } from "./seen/seen-store.ts";
import type { SessionRow } from "./session-row.ts";
import { SESSION_BYTES, sessionColumns } from "./session-store.ts";
import { isAscii, titlePattern } from "./title-pattern.ts";

export interface SessionFilters extends ArchivedFilter {
  agentId: string | null;
  environmentId: string | null;
  deploymentId: string | null;
  memoryStoreId: string | null;
  ownerId: string | null;
  statuses: readonly string[] | null;
  /** Outcomes of the last turn, which select idle sessions; `none` means that no turn has ended. */
  outcomes: readonly string[] | null;
  /** Part of the title, in upper or lower case. */
  title: string | null;
  /** Words that are all in the session, for lists by activity; see `search`. */
  words: readonly string[] | null;
  /** Whether to list only sessions on the caller's desk. */
  mine: boolean;
  /** Whether to list only sessions on the caller's desk that the caller has not seen. */
  unseen: boolean;
  /** Whether to list only sessions with calls that wait for a client. */
  requiresAction: boolean;
  /** Whether to list only sessions with a repository whose clone has failed. */
  repositoryFailed: boolean;
  /** Whether to list only sessions that are set aside, so that no turn runs. */
  setAside: boolean;
}

/** Sessions joined with the stores that they mount. A session mounts a store once. */
const MEMORY_MOUNTS = `(select session_id, memory_store_id from session_resources where memory_store_id is not null) as mounts
  join sessions on sessions.id = session_id`;

/**
 * Lists sessions, newest first. Reads the index of the memory store, deployment, agent, environment or owner, whichever
 * is given first in this order, else that of the caller's owners. A title is searched for among the remaining
 * sessions.
 */
export async function listSessions(
  db: Queryable,
  principal: Principal,
  range: KeysetRange,
  filters: SessionFilters,
): Promise<SessionRow[]> {
  const { agentId, environmentId, deploymentId, memoryStoreId, ownerId, statuses, outcomes } = filters;
  const conditions = conditionsOf(principal, filters);
  const listing = { table: "sessions", columns: sessionColumns, conditions, bytes: SESSION_BYTES };
  const accessible = { ...listing, conditions: [...conditions, ...unbranched(principal, filters)] };
  if (memoryStoreId !== null) {
    const mounted = { ...accessible, table: MEMORY_MOUNTS, id: "session_id" };
    return await selectKeyset(db, range, mounted, [{ column: "memory_store_id", value: memoryStoreId }]);
  }
  const [branch] = [
    ...branchOf("deployment_id", deploymentId),
    ...branchOf("agent_id", agentId),
    ...branchOf("environment_id", environmentId),
    ...branchOf("owner_id", ownerId),
  ];
  if (branch !== undefined) return await selectKeyset<SessionRow>(db, range, accessible, [branch]);
  const branches = branchesOf(principal, filters);
  if (outcomes !== null) {
    const current = archivedBranches(branches, filters);
    return await selectKeyset(db, range, listing, branchesOfValues(current, OUTCOME, outcomes));
  }
  // Of unseen ones no index is by status: they are few, or most of them rest.
  const all = statuses === null || filters.unseen ? branches : branchesOfValues(branches, "status", statuses);
  return await selectKeyset(db, range, listing, all);
}

/** Position in a list by last activity: after this session with this time of activity. */
export type ActivityPosition = { at: string; id: string };

/** `from` (inclusive) and `until` (exclusive) are in milliseconds; null for no bound. */
interface ActivityPage {
  rows: number;
  after: ActivityPosition | null;
  from: number | null;
  until: number | null;
}

/** A session with its time of activity as database text, which is more exact than the API's. */
export type ActiveSessionRow = SessionRow & { active_at: string };

/**
 * Lists sessions by last activity, latest first. A session that becomes active between two pages moves to the
 * front, and later pages do not contain it. Filters other than owner and outcome are applied to those
 * sessions.
 *
 */
export async function listSessionsByActivity(
  db: Queryable,
  principal: Principal,
  page: ActivityPage,
  filters: SessionFilters,
): Promise<ActiveSessionRow[]> {
  const { ownerId, outcomes } = filters;
  const stores = filters.memoryStoreId === null ? [] : [mounts(filters.memoryStoreId)];
  const access = ownerId === null ? [] : unbranched(principal, filters);
  const conditions = [...conditionsOf(principal, filters), ...stores, ...access];
  const columns = `${sessionColumns}, updated_at::text as active_at`;
  if (filters.words !== null) {
    if (filters.words.length === 0) return [];
    const query = wordsQuery(principal.organizationId, filters.words);
    const areCommon = await areCommonWords(db, principal.organizationId, query);
    const found = areCommon ? null : await sessionsWithWords(db, query, FEW + 1);
    if (found !== null && found.length <= FEW) {
      const all = [...conditions, ...(ownerId === null ? unbranched(principal, filters) : [])];
      return await listFound(db, found, all, page);
    }
    conditions.push(
      condition(
        "exists (select from session_words where session_id = sessions.id and words @@ ?::tsquery)",
        query,
      ),
    );
  }
  const { after, from, until, rows } = page;
  const high =
    after === null ? [timeOf(until) ?? "infinity", until === null ? LAST : FIRST] : [after.at, after.id];
  const span = {
    columns: [
      { name: "updated_at", type: "timestamptz" },
      { name: "id", type: "uuid" },
    ],
    low: [timeOf(from) ?? "-infinity", FIRST],
    high,
  };
  const owners = ownerId === null ? branchesOf(principal, filters) : branchOf("owner_id", ownerId);
  const isByOwner = ownerId !== null || isDesk(filters);
  const branches = isByOwner && isBusy(filters) ? owners : archivedBranches(owners, filters);
  return await selectSpan(
    db,
    { direction: "older", rows },
    { table: "sessions", columns, conditions, bytes: SESSION_BYTES },
    span,
    outcomes === null ? branches : branchesOfValues(branches, OUTCOME, outcomes),
  );
}

/**
 * The most sessions that are read to find a page among them. If more have the words, a page is found soon among
 * those that were active last.
 */
const FEW = 1_000;

/** Returns a page of few sessions by last activity, as `listSessionsByActivity` does. */
async function listFound(
  db: Queryable,
  ids: readonly string[],
  conditions: readonly Condition[],
  { rows: limit, after, from, until }: ActivityPage,
): Promise<ActiveSessionRow[]> {
  const { text, values } = joined([condition("id = any(?::uuid[])", ids), ...conditions], " and ");
  const position = "(updated_at, id) < (?::timestamptz, ?::uuid)";
  const bounds = [
    ...(from === null ? [] : [condition("updated_at >= ?::timestamptz", timeOf(from))]),
    ...(until === null ? [] : [condition("updated_at < ?::timestamptz", timeOf(until))]),
    ...(after === null ? [] : [condition(position, after.at, after.id)]),
  ];
  // The offset has the sessions looked up by their ids, and the few that are left sorted.
  const found = { text: `select * from sessions where ${text} offset 0`, values };
  const where = bounds.length === 0 ? "true" : joined(bounds, " and ").text;
  const page = {
    text: `select ${sessionColumns}, updated_at::text as active_at from (${found.text}) as sessions
      where ${where} order by updated_at desc, id desc limit ?`,
    values: [...found.values, ...bounds.flatMap((one) => one.values), limit],
  };
  const measuredPage = measured(page, SESSION_BYTES, "updated_at desc, id desc");
  return (await db.query<ActiveSessionRow>(assembled([measuredPage]))).rows;
}

const OUTCOME = "last_turn_outcome";

function conditionsOf(principal: Principal, filters: SessionFilters): Condition[] {
  const { agentId, environmentId, deploymentId, ownerId, statuses, outcomes } = filters;
  return [
    { text: "deleted_at is null", values: [] },
    ...(isDesk(filters) ? [accessCondition(principal, filters)] : []),
    ...(isBusy(filters) ? [{ text: "status in ('running', 'rescheduling')", values: [] }] : []),
    ...unlessArchived(filters),
    ...(agentId === null ? [] : [condition("agent_id = ?", agentId)]),
    ...(environmentId === null ? [] : [condition("environment_id = ?", environmentId)]),
    ...(deploymentId === null ? [] : [condition("deployment_id = ?", deploymentId)]),
    ...(ownerId === null ? [] : [condition("owner_id = ?", ownerId)]),
    ...(statuses === null ? [] : [condition("status = any(?::text[])", statuses)]),
    ...(outcomes === null ? [] : [condition(`status = 'idle' and ${OUTCOME} = any(?::text[])`, outcomes)]),
    ...(filters.title === null ? [] : [titleContains(filters.title)]),
    ...(filters.repositoryFailed ? [{ text: "repository_failed", values: [] }] : []),
    ...(filters.setAside ? [{ text: "set_aside_at is not null", values: [] }] : []),
    ...(filters.requiresAction ? [{ text: "awaited_calls <> '{}'", values: [] }] : []),
  ];
}

/** The database's lower() is faster than a pattern, and the same for A to Z in each locale. */
function titleContains(part: string): Condition {
  return isAscii(part)
    ? condition("strpos(lower(title), lower(?)) > 0", part)
    : condition("title ~ ?", titlePattern(part));
}

function mounts(memoryStoreId: string): Condition {
  return condition(
    "exists (select from session_resources where session_id = sessions.id and memory_store_id = ?)",
    memoryStoreId,
  );
}

/** Returns the conditions that `branchesOf` makes unnecessary. */
function unbranched(principal: Principal, filters: SessionFilters): Condition[] {
  const access = accessCondition(principal, filters);
  return isDesk(filters) ? [access, deskCondition(principal, filters.unseen)] : [access];
}

function isDesk({ mine, unseen }: SessionFilters): boolean {
  return mine || unseen;
}

/** Whether only sessions that run are listed, which have an index by owner and activity. */
function isBusy({ statuses, outcomes }: SessionFilters): boolean {
  if (statuses === null || outcomes !== null) return false;
  return statuses.every((status) => status === "running" || status === "rescheduling");
}

function branchesOf(principal: Principal, filters: SessionFilters): Branch[] {
  if (isDesk(filters)) return deskBranches(principal, filters.unseen);
  return accessibleBranches(principal, "session", "sessions", filters);
}

function branchOf(column: string, value: string | null): Branch[] {
  return value === null ? [] : [{ column, value }];
}

/** Archived sessions have indexes of their own. */
function archivedBranches(branches: readonly Branch[], { include_archived }: ArchivedFilter): Branch[] {
  const states = include_archived
    ? ["archived_at is null", "archived_at is not null"]
    : ["archived_at is null"];
  return splitBranches(branches, (branch) =>
    states.map((state) => ({ ...branch, conditions: [...(branch.conditions ?? []), condition(state)] })),
  );
}

function timeOf(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
