import {
  type ArchivedFilter,
  accessCondition,
  selectAccessible,
  unlessArchived,
} from "../../access/owned-rows.ts";
import type { Principal } from "../../access/principal.ts";
import { requireAccess } from "../../access/require-access.ts";
import { type Condition, condition } from "../../db/assembled-statement.ts";
import { type Branch, type KeysetRange, selectKeyset } from "../../db/keyset.ts";
import type { Queryable } from "../../db/statement.ts";
import { resourceColumns } from "./resources/resource-statements.ts";
import type { SessionRow } from "./session-row.ts";
import { isAscii, titlePattern } from "./title-pattern.ts";

/** The columns of `SessionRow` that a session has itself. */
export const ownColumns = `id, organization_id, owner_type, owner_id, agent::text as agent, environment_id,
  environment_variables, git_identity, title, metadata, vault_ids, status, input_tokens, output_tokens, cache_read_input_tokens,
  cache_creation_input_tokens, archived_at, terminated_at, updated_at, now() as read_at,
  (active_ms + coalesce(greatest(extract(epoch from now() - running_since) * 1000, 0)::bigint, 0)) / 1000
    as active_seconds`;

/** The columns of `SessionRow`. */
const sessionColumns = `${ownColumns},
  (select json_agg(r order by r.id) from (select ${resourceColumns} from session_resources
    where session_id = sessions.id) as r) as resources`;

export async function getSession(db: Queryable, id: string): Promise<SessionRow | null> {
  const text = `select ${sessionColumns} from sessions where id = $1 and deleted_at is null`;
  return (await db.query<SessionRow>({ name: "get_session", text, values: [id] })).rows[0] ?? null;
}

/** A session with all its fields. @throws errors.notFound, errors.notYours */
export const readSession = requireAccess("session", getSession);

export interface SessionFilters extends ArchivedFilter {
  agentId: string | null;
  environmentId: string | null;
  memoryStoreId: string | null;
  ownerId: string | null;
  statuses: readonly string[] | null;
  /** Part of the title, in upper or lower case. */
  title: string | null;
  /** Only those with calls that wait for a client. */
  requiresAction: boolean;
}

/** Sessions by the stores that they mount. A session mounts a store once. */
const MEMORY_MOUNTS = `(select session_id, memory_store_id from session_resources where memory_store_id is not null) as mounts
  join sessions on sessions.id = session_id`;

/**
 * Reads the index of the memory store, the agent, the environment or the owner, the first of these that is given, else that of the
 * owners. A title is sought among the sessions that are left.
 */
export async function listSessions(
  db: Queryable,
  principal: Principal,
  range: KeysetRange,
  filters: SessionFilters,
): Promise<SessionRow[]> {
  const { agentId, environmentId, memoryStoreId, ownerId, statuses } = filters;
  const conditions: Condition[] = [
    { text: "deleted_at is null", values: [] },
    ...unlessArchived(filters),
    ...(agentId === null ? [] : [condition("agent_id = ?", agentId)]),
    ...(environmentId === null ? [] : [condition("environment_id = ?", environmentId)]),
    ...(ownerId === null ? [] : [condition("owner_id = ?", ownerId)]),
    ...(statuses === null ? [] : [condition("status = any(?::text[])", statuses)]),
    ...(filters.title === null ? [] : [titleContains(filters.title)]),
    ...(filters.requiresAction ? [{ text: "awaited_calls <> '{}'", values: [] }] : []),
  ];
  const listing = { table: "sessions", columns: sessionColumns, conditions };
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
  if (branch === undefined)
    return await selectAccessible<SessionRow>(db, principal, range, listing, statuses);
  return await selectKeyset<SessionRow>(db, range, accessible, [branch]);
}

/** Lower case of the database is quicker than a pattern, and of A to Z the same in each locale. */
function titleContains(part: string): Condition {
  return isAscii(part)
    ? condition("strpos(lower(title), lower(?)) > 0", part)
    : condition("title ~ ?", titlePattern(part));
}

function branchOf(column: string, value: string | null): Branch[] {
  return value === null ? [] : [{ column, value }];
}

/** Archives a session and makes it due, so that a worker removes its disk. */
export async function markArchived(tx: Queryable, id: string): Promise<void> {
  await tx.query({
    name: "mark_archived",
    text: `update sessions set archived_at = now(), updated_at = now(), pending_at = coalesce(pending_at, now())
      where id = $1 and archived_at is null`,
    values: [id],
  });
}

/** Marks sessions as deleted: they cannot be read, no run writes to them, and they are due, so that a worker removes disk and row. */
export async function markDeleted(tx: Queryable, ids: readonly string[]): Promise<void> {
  await tx.query({
    name: "mark_deleted",
    text: `
      update sessions set deleted_at = now(), status = 'terminated', terminated_at = coalesce(terminated_at, now()),
        pending_at = coalesce(pending_at, now()), updated_at = now()
      where id = any($1::uuid[])`,
    values: [ids],
  });
}

/** Counts sessions that are not archived, for every status, also those that no session has. */
export async function sessionsByStatus(db: Queryable): Promise<{ status: string; count: number }[]> {
  const { rows } = await db.query<{ status: string; count: number }>({
    name: "sessions_by_status",
    text: `
      select status, (select count(*) from sessions where sessions.status = known.status and archived_at is null
        and deleted_at is null) as count
      from unnest(array['idle', 'running', 'rescheduling', 'terminated']) as known (status)`,
  });
  return rows;
}
