import { requireAccess, SHARED_COLUMNS } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { FOLLOW_JSON } from "./follow/follow-store.ts";
import { resourceColumns } from "./resources/resource-statements.ts";
import type { SessionRow } from "./session-row.ts";

/** Columns of `SessionRow` that the table of sessions has. */
export const ownColumns = `id, ${SHARED_COLUMNS}, agent::text as agent, environment_id, deployment_id,
  environment_variables, git_identity, nullif(choices -> 'runtimes', 'null') as chosen_runtimes, nullif(choices -> 'devcontainer', 'null') as devcontainer, title, metadata, vault_ids, status, input_tokens, output_tokens, cache_read_input_tokens,
  cache_creation_input_tokens, cache_creation_1h_input_tokens, agent -> 'model' ->> 'id' as model, compactions, compaction_avoided_tokens, compaction_left_tokens,
  summary_input_tokens, summary_output_tokens, summary_cache_read_input_tokens, summary_cache_creation_input_tokens,
  explore_input_tokens, explore_output_tokens, explore_cache_read_input_tokens, explore_cache_creation_input_tokens,
  case when explore_input_tokens + explore_output_tokens + explore_cache_read_input_tokens + explore_cache_creation_input_tokens > 0
    then explore_model(agent) end as explore_model, budget_nano, list_cost_nano, last_turn_outcome, last_turn_ended_at, set_aside_at, unseen_by, archived_at, terminated_at,
  updated_at, now() as read_at,
  (active_ms + coalesce(greatest(extract(epoch from now() - running_since) * 1000, 0)::bigint, 0)) / 1000
    as active_seconds`;

/** Columns of `SessionRow`. */
export const sessionColumns = `${ownColumns},
  (select json_agg(r order by r.id) from (select ${resourceColumns} from session_resources
    where session_id = sessions.id) as r) as resources,
  (select ${FOLLOW_JSON} from session_follows where session_id = sessions.id) as follow`;

/** SQL expression for a session's size in bytes, without the few bytes of its title and metadata. */
export const SESSION_BYTES =
  "octet_length(agent) + octet_length(environment_variables::text) + coalesce(octet_length(chosen_runtimes::text), 0) + coalesce(octet_length(devcontainer::text), 0) + coalesce(octet_length(resources::text), 0)";

export async function getSession(db: Queryable, id: string): Promise<SessionRow | null> {
  const text = `select ${sessionColumns} from sessions where id = $1 and deleted_at is null`;
  return (await db.query<SessionRow>({ name: "get_session", text, values: [id] })).rows[0] ?? null;
}

/** Returns a session with all its fields. @throws errors.notFound, errors.notYours */
export const readSession = requireAccess("session", getSession);

/** Lets turns of a session run again, and makes it due. Another crash in a turn sets it aside again. */
export async function markReleased(tx: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: "mark_released",
    text: `update sessions set set_aside_at = null, runner_crashes = 1, updated_at = now(),
      pending_at = coalesce(pending_at, now())
      where id = $1 and set_aside_at is not null`,
    values: [id],
  });
  return rowCount === 1;
}

/** Counts sessions that are set aside. */
export async function countSetAside(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: "count_set_aside",
    text: `select count(*)::integer as count from sessions
      where set_aside_at is not null and deleted_at is null and terminated_at is null and archived_at is null`,
  });
  return rows[0]?.count ?? 0;
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

/** Marks sessions as deleted, unreadable and due, so that a worker removes disk and row. */
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

/** Counts sessions that are not archived, for every status, including those that no session has. */
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
