import { type InputEvent, uuidTimestamp } from "@berth/contract";
import {
  type Condition,
  type KeysetPlace,
  one,
  reachCondition,
  selectKeyset,
  selectReached,
} from "../../db/keyset.ts";
import type { Queryable } from "../../db/statement.ts";
import type { Owner, Principal } from "../../http/principal.ts";
import { columns as eventColumns } from "../events/append-by-run.ts";
import { newEventRow } from "../events/event-row.ts";
import {
  type NewResource,
  newResourceColumns,
  newResourcesJson,
  newResourceTypes,
} from "../session-resources/new-resource.ts";
import { type SessionRow, sessionColumns } from "./session-row.ts";

export interface NewSession extends Owner {
  id: string;
  agent_id: string;
  /** The snapshot as JSON text. */
  agent: string;
  environment_id: string;
  environment_variables: Record<string, string>;
  title: string;
  metadata: Record<string, string>;
  resources: readonly NewResource[];
  vault_ids: readonly string[];
  /** Versions of skills that it has. */
  skill_version_ids: readonly string[];
  events: readonly InputEvent[];
  /** A worker has something to do at once. */
  due: boolean;
}

/**
 * Stores a session with its resources and first events, all or none, in one statement. False, and nothing is stored, when
 * its agent or its environment is archived or deleted; neither can be deleted while the statement is under way.
 */
export async function insertSession(db: Queryable, session: NewSession): Promise<boolean> {
  const events = session.events.map((event) => newEventRow({ event }));
  const { rowCount } = await db.query({
    name: "insert_session",
    text: `
      with used as (
        select agents.id as agent_id, environments.id as environment_id
        from agents, environments
        where agents.id = $5 and agents.archived_at is null
          and environments.id = $7 and environments.archived_at is null and environments.deleted_at is null
        for key share
      ), session as (
        insert into sessions (id, organization_id, owner_type, owner_id, agent_id, agent, environment_id,
          environment_variables, title, metadata, updated_at, last_seq, pending_at, vault_ids)
        select $1::uuid, $2::uuid, $3::text, $4::uuid, used.agent_id, $6::json, used.environment_id,
          $8::json, $9::text, $10::jsonb, $11::timestamptz, cardinality($13::uuid[]),
          case when $17::boolean then now() end, $18::uuid[]
        from used
        returning id
      ), resources as (
        insert into session_resources (${newResourceColumns}, session_id, updated_at)
        select resource.*, session.id, $11
        from session, json_to_recordset($12::json) as resource (${newResourceTypes})
      ), skills as (
        insert into session_skills (session_id, skill_version_id)
        select session.id, version_id from session, unnest($19::uuid[]) as version_id
      ), appended as (
        insert into events (session_id, seq, id, type, body, memo)
        select session.id, draft.place, draft.id, draft.type, draft.body, draft.memo
        from session, unnest($13::uuid[], $14::text[], $15::text[], $16::text[])
          with ordinality as draft (id, type, body, memo, place)
      )
      select id from session`,
    values: [
      session.id,
      session.organization_id,
      session.owner_type,
      session.owner_id,
      session.agent_id,
      session.agent,
      session.environment_id,
      session.environment_variables,
      session.title,
      session.metadata,
      uuidTimestamp(session.id),
      newResourcesJson(session.resources),
      ...eventColumns(events),
      session.due,
      session.vault_ids,
      session.skill_version_ids,
    ],
  });
  return rowCount === 1;
}

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

export async function listSessions(
  db: Queryable,
  principal: Principal,
  place: KeysetPlace,
  filters: SessionFilters,
): Promise<SessionRow[]> {
  const { agentId, environmentId, memoryStoreId, statuses } = filters;
  const conditions: Condition[] = [
    { text: "deleted_at is null", values: [] },
    ...(filters.archived ? [] : [{ text: "archived_at is null", values: [] }]),
    ...(environmentId === null ? [] : [one("environment_id = ?", environmentId)]),
    ...(memoryStoreId === null
      ? []
      : [one("id in (select session_id from session_resources where memory_store_id = ?)", memoryStoreId)]),
    ...(statuses === null ? [] : [one("status = any(?::text[])", statuses)]),
  ];
  const listed = { table: "sessions", columns: sessionColumns, conditions };
  const branch =
    agentId === null
      ? environmentId !== null && { column: "environment_id", value: environmentId }
      : { column: "agent_id", value: agentId };
  if (branch === false) return await selectReached<SessionRow>(db, principal, place, listed);
  const reached = { ...listed, conditions: [...conditions, reachCondition(principal)] };
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

/** Whether a session is deleted, or was never there. */
export async function isDeleted(db: Queryable, id: string): Promise<boolean> {
  const text = "select 1 as there from sessions where id = $1 and deleted_at is null";
  return (await db.query({ name: "session_is_there", text, values: [id] })).rows.length === 0;
}
