import {
  type ArchivedFilter,
  accessCondition,
  branchesOfValues,
  ownerBranches,
  type Principal,
  selectAccessible,
  unlessArchived,
} from "@berth/store/access";
import {
  type Branch,
  type Condition,
  condition,
  FIRST,
  type KeysetRange,
  LAST,
  type Queryable,
  selectKeyset,
  selectSpan,
} from "@berth/store/db";
import type { SessionRow } from "./session-row.ts";
import { SESSION_BYTES, sessionColumns } from "./session-store.ts";
import { isAscii, titlePattern } from "./title-pattern.ts";

export interface SessionFilters extends ArchivedFilter {
  agentId: string | null;
  environmentId: string | null;
  memoryStoreId: string | null;
  ownerId: string | null;
  statuses: readonly string[] | null;
  /** Outcomes of the last turn, which select idle sessions; `none` means that no turn has ended. */
  outcomes: readonly string[] | null;
  /** Part of the title, in upper or lower case. */
  title: string | null;
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
 * Lists sessions, newest first. Reads the index of the memory store, agent, environment or owner, whichever
 * is given first in this order, else that of the caller's owners. A title is searched for among the remaining
 * sessions.
 */
export async function listSessions(
  db: Queryable,
  principal: Principal,
  range: KeysetRange,
  filters: SessionFilters,
): Promise<SessionRow[]> {
  const { agentId, environmentId, memoryStoreId, ownerId, statuses, outcomes } = filters;
  const conditions = conditionsOf(filters);
  const listing = { table: "sessions", columns: sessionColumns, conditions, bytes: SESSION_BYTES };
  const accessible = { ...listing, conditions: [...conditions, accessCondition(principal)] };
  if (memoryStoreId !== null) {
    const mounted = { ...accessible, table: MEMORY_MOUNTS, id: "session_id" };
    return await selectKeyset(db, range, mounted, [{ column: "memory_store_id", value: memoryStoreId }]);
  }
  const [branch] = [
    ...branchOf("agent_id", agentId),
    ...branchOf("environment_id", environmentId),
    ...branchOf("owner_id", ownerId),
  ];
  if (branch !== undefined) return await selectKeyset<SessionRow>(db, range, accessible, [branch]);
  if (outcomes === null) return await selectAccessible<SessionRow>(db, principal, range, listing, statuses);
  const branches = archivedBranches(ownerBranches(principal), filters);
  return await selectKeyset(db, range, listing, branchesOfValues(branches, OUTCOME, outcomes));
}

/** Position in a list by last activity: after this session with this time of activity. */
export type ActivityPosition = { at: string; id: string };

/** A session with its time of activity as database text, which is more exact than the API's. */
export type ActiveSessionRow = SessionRow & { active_at: string };

/**
 * Lists sessions by last activity, latest first. A session that becomes active between two pages moves to the
 * front, and later pages do not contain it. Filters other than owner and outcome are applied to those
 * sessions.
 *
 * @param page `from` (inclusive) and `until` (exclusive) are in milliseconds; null for no bound.
 */
export async function listSessionsByActivity(
  db: Queryable,
  principal: Principal,
  page: { rows: number; after: ActivityPosition | null; from: number | null; until: number | null },
  filters: SessionFilters,
): Promise<ActiveSessionRow[]> {
  const { ownerId, outcomes } = filters;
  const stores = filters.memoryStoreId === null ? [] : [mounts(filters.memoryStoreId)];
  const conditions = [...conditionsOf(filters), ...stores, accessCondition(principal)];
  const columns = `${sessionColumns}, updated_at::text as active_at`;
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
  const owners = ownerId === null ? ownerBranches(principal) : branchOf("owner_id", ownerId);
  const branches = archivedBranches(owners, filters);
  return await selectSpan(
    db,
    { direction: "older", rows },
    { table: "sessions", columns, conditions, bytes: SESSION_BYTES },
    span,
    outcomes === null ? branches : branchesOfValues(branches, OUTCOME, outcomes),
  );
}

const OUTCOME = "last_turn_outcome";

function conditionsOf(filters: SessionFilters): Condition[] {
  const { agentId, environmentId, ownerId, statuses, outcomes } = filters;
  return [
    { text: "deleted_at is null", values: [] },
    ...unlessArchived(filters),
    ...(agentId === null ? [] : [condition("agent_id = ?", agentId)]),
    ...(environmentId === null ? [] : [condition("environment_id = ?", environmentId)]),
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

function branchOf(column: string, value: string | null): Branch[] {
  return value === null ? [] : [{ column, value }];
}

/** Archived sessions have indexes of their own. */
function archivedBranches(branches: readonly Branch[], { include_archived }: ArchivedFilter): Branch[] {
  const states = include_archived
    ? ["archived_at is null", "archived_at is not null"]
    : ["archived_at is null"];
  return states.flatMap((state) => branches.map((branch) => ({ ...branch, conditions: [condition(state)] })));
}

function timeOf(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
