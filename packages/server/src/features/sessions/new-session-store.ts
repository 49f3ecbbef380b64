import { type GitIdentity, type InputEvent, uuidTimestamp } from "@berth/contract";
import type { Owner } from "../../access/principal.ts";
import type { Queryable } from "../../db/statement.ts";
import { eventColumns, newEventRow } from "./events/event-row.ts";
import type { NewResource } from "./resources/resource-row.ts";
import { insertResources, resourcesJson } from "./resources/resource-statements.ts";

export interface NewSession extends Owner {
  id: string;
  agent_id: string;
  /** The snapshot as JSON text. */
  agent: string;
  environment_id: string;
  environment_variables: Record<string, string>;
  git_identity: GitIdentity | null;
  title: string;
  metadata: Record<string, string>;
  resources: readonly NewResource[];
  vault_ids: readonly string[];
  /** The pinned versions of its skills. */
  skill_version_ids: readonly string[];
  events: readonly InputEvent[];
  /** There is work for a worker at once. */
  due: boolean;
  /** Of the request, which that work is a part of. */
  traceparent: string | null;
}

/**
 * Stores a session with its resources and first events in one statement. Returns false, and stores nothing, when its agent or
 * its environment is archived or deleted. Neither can be deleted while the statement runs.
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
          environment_variables, title, metadata, updated_at, last_seq, pending_at, vault_ids, git_identity, traceparent)
        select $1::uuid, $2::uuid, $3::text, $4::uuid, used.agent_id, $6::json, used.environment_id,
          $8::json, $9::text, $10::jsonb, $11::timestamptz, cardinality($13::uuid[]),
          case when $17::boolean then now() end, $18::uuid[], $20::jsonb, $21::text
        from used
        returning id
      ), resources as (
        ${insertResources("$12", "session")}
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
      resourcesJson(session.resources),
      ...eventColumns(events),
      session.due,
      session.vault_ids,
      session.skill_version_ids,
      session.git_identity,
      session.traceparent,
    ],
  });
  return rowCount === 1;
}
