import { PREFIX_VERSION } from "@berth/agent";
import { type FollowInput, type GitIdentity, type SentEvent, uuidTimestamp } from "@berth/contract";
import { SHARED_COLUMNS, type SharedRow } from "@berth/store/access";
import { type AuditEntry, auditRecord, insertAuditEntries } from "@berth/store/audit";
import type { BatchStatement } from "@berth/store/db";
import { newEventRow, senderIds } from "@berth/store/session-log";
import { FOLLOW_JSON } from "./follow/follow-store.ts";
import type { NewResource } from "./resources/resource-row.ts";
import { insertResources, resourceColumns, resourceRecord } from "./resources/resource-statements.ts";
import type { SessionRow } from "./session-row.ts";
import { ownColumns } from "./session-store.ts";

export interface NewSession extends SharedRow {
  agent_id: string;
  /** Snapshot of the agent as JSON text. */
  agent: string;
  environment_id: string;
  /** Uuid of the deployment that creates it; null for none. */
  deployment_id: string | null;
  environment_variables: Record<string, string>;
  git_identity: GitIdentity | null;
  /** Nanodollars; null for none. */
  budget_nano: number | null;
  follow: FollowInput | null;
  title: string;
  metadata: Record<string, string>;
  resources: readonly NewResource[];
  vault_ids: readonly string[];
  /** Uuids of the pinned skill versions. */
  skill_version_ids: readonly string[];
  events: readonly SentEvent[];
  /** Whether there is work for a worker at once. */
  due: boolean;
  /** Trace context of the request, to which that work belongs. */
  traceparent: string | null;
  /** Audit entry of the creation. */
  audit: AuditEntry;
}

/**
 * Stores sessions with their resources, first events and audit entries, and returns the sessions. A session
 * whose agent or environment is archived or deleted is not stored. Neither can be deleted meanwhile: each is
 * found by its id and locked, whatever the table statistics say.
 */
export const insertSession: BatchStatement<NewSession, SessionRow> = {
  name: "insert_sessions",
  text: `
    with given as materialized (
      select * from json_to_recordset($1::json) as given (id uuid, organization_id uuid, owner_type text, owner_id uuid, organization_access text,
        agent_id uuid, agent text, environment_id uuid, deployment_id uuid, environment_variables json, title text, metadata jsonb,
        updated_at timestamptz, due boolean, budget_nano bigint, vault_ids uuid[], git_identity jsonb, traceparent text, follow jsonb,
        resources json, skill_version_ids uuid[], sender_ids uuid[], events json, audit json)
    ), used as (
      select given.* from given
        cross join lateral (select from agents where agents.id = given.agent_id and archived_at is null for key share) as agent
        cross join lateral (select from environments where environments.id = given.environment_id and archived_at is null
          and deleted_at is null for key share) as environment
    ), session as (
      insert into sessions (id, ${SHARED_COLUMNS}, agent_id, agent, environment_id, deployment_id,
        prefix_version, environment_variables, title, metadata, updated_at, last_seq, last_event_at, pending_at, budget_nano, vault_ids, git_identity, traceparent, sender_ids)
      select id, ${SHARED_COLUMNS}, agent_id, agent::json, environment_id, deployment_id,
        ${PREFIX_VERSION}, environment_variables, title, metadata, updated_at, json_array_length(events),
        clock_timestamp(), case when due then now() end, budget_nano, vault_ids, git_identity, traceparent, sender_ids
      from used
      returning last_event_at, ${ownColumns}
    ), resource as (
      ${insertResources("used.resources", "used")}
      returning session_id, ${resourceColumns}
    ), skill as (
      insert into session_skills (session_id, skill_version_id)
      select used.id, version_id from used, unnest(used.skill_version_ids) as version_id
    ), session_follows as (
      insert into session_follows (session_id, max_attempts, max_list_cost, conflicts, next_look_at)
      select used.id, (follow ->> 'max_attempts')::integer, nullif(follow -> 'max_list_cost', 'null'), follow ->> 'conflicts', now()
      from used join session on session.id = used.id where follow is not null
      returning *
    ), event as (
      insert into events (session_id, seq, id, type, body, memo, created_at)
      select used.id, draft.*, session.last_event_at from used join session on session.id = used.id, json_to_recordset(used.events)
        as draft (seq bigint, id uuid, type text, body text, memo text)
    ), entry as (
      ${insertAuditEntries("used.audit", "used")}
    )
    select session.*, (select json_agg(resource order by id) from resource where session_id = session.id) as resources,
      (select ${FOLLOW_JSON} from session_follows where session_id = session.id) as follow
    from session`,
  encode: ({ resources, events, audit, ...session }) =>
    JSON.stringify({
      ...session,
      updated_at: uuidTimestamp(session.id),
      resources: resources.map(resourceRecord),
      sender_ids: senderIds(events),
      events: events.map((event, index) => ({ seq: index + 1, ...newEventRow({ event }) })),
      audit: auditRecord(audit),
    }),
};
