import {
  type Condition,
  type KeysetPlace,
  one,
  reachCondition,
  selectKeyset,
  selectReached,
  unlessArchived,
} from "../../db/keyset.ts";
import type { Queryable } from "../../db/statement.ts";
import type { Owner, Principal } from "../../http/principal.ts";
import { type SessionRow, sessionColumns } from "./session-row.ts";

export async function getSession(db: Queryable, id: string): Promise<SessionRow | null> {
  const text = `select ${sessionColumns} from sessions where id = $1 and deleted_at is null`;
  return (await db.query<SessionRow>({ name: "get_session", text, values: [id] })).rows[0] ?? null;
}

export interface SessionFilters {
  archived: boolean;
  agentId: string | null;
  environmentId: string | null;
  memoryStoreId: string | null;
  statuses: readonly string[] | null;
}

/** Sessions by what they mount, each store once. */
const memoryMounts = `(select session_id, memory_store_id from session_resources where memory_store_id is not null) as mounts
  join sessions on sessions.id = session_id`;

/** Walks the sessions of the memory store, the agent or the environment that is asked for, in this order, or else the owner's. */
export async function listSessions(
  db: Queryable,
  principal: Principal,
  place: KeysetPlace,
  filters: SessionFilters,
): Promise<SessionRow[]> {
  const { agentId, environmentId, memoryStoreId, statuses } = filters;
  const conditions: Condition[] = [
    { text: "deleted_at is null", values: [] },
    ...unlessArchived(filters),
    ...(agentId === null ? [] : [one("agent_id = ?", agentId)]),
    ...(environmentId === null ? [] : [one("environment_id = ?", environmentId)]),
    ...(statuses === null ? [] : [one("status = any(?::text[])", statuses)]),
  ];
  const listed = { table: "sessions", columns: sessionColumns, conditions };
  const reached = { ...listed, conditions: [...conditions, reachCondition(principal)] };
  if (memoryStoreId !== null) {
    const mounted = { ...reached, table: memoryMounts, id: "session_id" };
    return await selectKeyset(db, place, mounted, [{ column: "memory_store_id", value: memoryStoreId }]);
  }
  const branch =
    agentId === null
      ? environmentId !== null && { column: "environment_id", value: environmentId }
      : { column: "agent_id", value: agentId };
  if (branch === false) return await selectReached<SessionRow>(db, principal, place, listed, statuses);
  return await selectKeyset<SessionRow>(db, place, reached, [branch]);
}

/** What decides whether a session may be changed. */
export interface SessionState extends Owner {
  id: string;
  status: SessionRow["status"];
  archived: boolean;
  terminated: boolean;
}

export async function getSessionState(db: Queryable, id: string): Promise<SessionState | null> {
  const { rows } = await db.query<SessionState>({
    name: "get_session_state",
    text: `select id, organization_id, owner_type, owner_id, status,
      archived_at is not null as archived, terminated_at is not null as terminated
      from sessions where id = $1 and deleted_at is null`,
    values: [id],
  });
  return rows[0] ?? null;
}

/** The same, with the row locked until the transaction ends, so that the state stays as it was read. */
export async function lockSession(tx: Queryable, id: string): Promise<SessionState | null> {
  const { rows } = await tx.query<SessionState>({
    name: "lock_session",
    text: `select id, organization_id, owner_type, owner_id, status,
      archived_at is not null as archived, terminated_at is not null as terminated
      from sessions where id = $1 and deleted_at is null for no key update`,
    values: [id],
  });
  return rows[0] ?? null;
}

/** Marks a session as archived and makes it due, so that a worker frees its disk. */
export async function markArchived(tx: Queryable, id: string): Promise<void> {
  await tx.query({
    name: "mark_archived",
    text: `update sessions set archived_at = now(), updated_at = now(), pending_at = coalesce(pending_at, now())
      where id = $1 and archived_at is null`,
    values: [id],
  });
}

/**
 * Marks a session as deleted: nobody reads it any more, no run writes to it, and it is due, so that a worker removes its
 * disk and then its row.
 */
export async function markDeleted(tx: Queryable, id: string): Promise<void> {
  await tx.query({
    name: "mark_deleted",
    text: `
      update sessions set deleted_at = now(), status = 'terminated', terminated_at = coalesce(terminated_at, now()),
        pending_at = coalesce(pending_at, now()), updated_at = now()
      where id = $1`,
    values: [id],
  });
}
