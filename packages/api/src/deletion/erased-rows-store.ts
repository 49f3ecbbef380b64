import { formatId } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { markDeleted } from "../features/sessions/session-store.ts";
import { type Erasure, ownerColumn } from "./erasure-store.ts";

/** Number of deleted rows or bytes of each kind. All zero or empty when nothing was left. */
export type Counts = Record<string, number>;

/** Deletes one batch of the subject's rows, in one transaction. */
export type EraseBatch = (tx: Queryable, erasure: Erasure, limit: number) => Promise<Counts>;

/** Marks sessions as deleted and due, so that workers stop them and remove their disks and rows. */
export const markSessions: EraseBatch = async (tx, erasure, limit) => {
  const { rows } = await tx.query<{ id: string }>({
    text: `select id from sessions where ${ownerColumn(erasure)} = $1 and deleted_at is null
      order by id limit $2 for update skip locked`,
    values: [erasure.subject_id, limit],
  });
  const ids = rows.map(({ id }) => id);
  await markDeleted(tx, ids);
  const { rows: counts } = await tx.query<{ events: number }>({
    name: "count_erased_events",
    text: "select count(*)::integer as events from events where session_id = any($1::uuid[])",
    values: [ids],
  });
  return { sessions: ids.length, events: counts[0]?.events ?? 0 };
};

export const deleteFiles: EraseBatch = async (tx, erasure, limit) =>
  await counted(tx, {
    text: `
      with gone as (
        delete from files where id in (
          select id from files where ${ownerColumn(erasure)} = $1 order by id limit $2 for update
        ) returning sha256, coalesce(size_bytes, 0) as size_bytes
      ), contents as (
        insert into erased_contents select distinct $3::uuid, sha256 from gone where sha256 is not null
        on conflict do nothing
      )
      select count(*)::integer as files, coalesce(sum(size_bytes), 0)::double precision as file_bytes from gone`,
    values: [erasure.subject_id, limit, erasure.id],
  });

/** Deletes workspace saves, after the sessions are marked, since workers do not save marked ones. */
export const deleteSaves: EraseBatch = async (tx, erasure, limit) =>
  await counted(tx, {
    text: `
      with picked as (
        select session_id from workspace_saves join sessions on sessions.id = session_id
        where sessions.${ownerColumn(erasure)} = $1 order by session_id limit $2 for update of workspace_saves
      ), gone as (
        delete from workspace_saves where session_id in (select session_id from picked) returning contents
      ), contents as (
        insert into erased_contents select distinct $3::uuid, unnest(contents) from gone on conflict do nothing
      )
      select count(*)::integer as workspace_saves from gone`,
    values: [erasure.subject_id, limit, erasure.id],
  });

export const deleteSkills: EraseBatch = async (tx, erasure, limit) =>
  await counted(tx, {
    text: `
      with picked as (
        select id from skills where ${ownerColumn(erasure)} = $1 order by id limit $2 for update
      ), contents as (
        insert into erased_contents
        select distinct $3::uuid, sha256 from skill_versions where skill_id in (select id from picked)
        on conflict do nothing
      ), gone as (
        delete from skills where id in (select id from picked) returning id
      )
      select count(*)::integer as skills from gone`,
    values: [erasure.subject_id, limit, erasure.id],
  });

export const deleteMemoryStores = deleteWithParts("memory_stores", "memories", "memory_store_id");
export const deleteVaults = deleteWithParts("vaults", "vault_credentials", "vault_id");

/** Deletes webhooks with their deliveries, so that nobody is told of the rest of the erasure. */
export const deleteWebhooks: EraseBatch = async (tx, erasure, limit) =>
  await counted(tx, {
    text: `
      with gone as (
        delete from webhooks where id in (
          select id from webhooks where ${ownerColumn(erasure)} = $1 order by id limit $2 for update
        ) returning id
      ), deliveries as (
        delete from webhook_deliveries using gone where webhook_id = gone.id returning webhook_deliveries.id
      )
      select count(*)::integer as webhooks, (select count(*)::integer from deliveries) as webhook_deliveries from gone`,
    values: [erasure.subject_id, limit],
  });

/** Deletes deployments with their runs, before the sessions are marked, so that none is created any more. */
export const deleteDeployments = deleteWithParts("deployments", "deployment_runs", "deployment_id");

/** Deletes connections, after the subject's sessions are gone. */
export const deleteConnections: EraseBatch = async (tx, erasure, limit) =>
  await counted(tx, {
    text: `
      with gone as (
        delete from connections where id in (
          select id from connections where ${ownerColumn(erasure)} = $1 order by id limit $2 for update
        ) returning id
      )
      select count(*)::integer as connections from gone`,
    values: [erasure.subject_id, limit],
  });

/** Deletes agents that no session uses, after the subject's sessions are gone. */
export const deleteAgents = deleteUnused("agents", "agent_id");
/** Deletes environments that no session uses, including earlier deleted ones kept for sessions. */
export const deleteEnvironments = deleteUnused("environments", "environment_id");

/**
 * Removes the user's id from usage rows, which stay in the organization's sums. Deletes an organization's
 * rows. Runs after the subject's sessions are gone.
 */
export const forgetUsage: EraseBatch = async (tx, erasure, limit) =>
  await counted(tx, {
    text: `
      with picked as (
        select session_id, day from session_usage where ${ownerColumn(erasure)} = $1
        order by session_id, day limit $2 for update
      ), gone as (
        ${erasure.subject_type === "user" ? "update session_usage set owner_id = null from" : "delete from session_usage using"}
        picked where session_usage.session_id = picked.session_id and session_usage.day = picked.day
        returning session_usage.day
      )
      select count(*)::integer as usage_days from gone`,
    values: [erasure.subject_id, limit],
  });

/**
 * Removes the user's name from events and confirmation rules of the organization's other sessions, which keep
 * the id. Does nothing for an organization, whose sessions are all deleted.
 */
export const forgetNames: EraseBatch = async (
  tx,
  { subject_type: type, subject_id: id, organization_id: organization },
  limit,
) => {
  if (type === "organization") return {};
  const named = `"id":"${formatId("user", id)}","name":"`;
  return await counted(tx, {
    text: `
      with of_user as (
        select id from sessions
        where organization_id = $1 and owner_id <> $2 and sender_ids @> array[$2::uuid] and deleted_at is null
      ), picked as (
        select session_id, seq from events
        where session_id in (select id from of_user) and type = any($5::text[]) and strpos(body, $3) > 0
        limit $4
      ), forgotten as (
        update events set body = regexp_replace(body, $6, '\\1null', 'g')
        from picked where events.session_id = picked.session_id and events.seq = picked.seq
        returning events.seq
      ), rules as (
        update confirmation_rules set created_by = jsonb_set(created_by::jsonb, '{name}', 'null')::json
        where session_id in (select id from of_user) and created_by ->> 'id' = $7 and created_by ->> 'name' is not null
        returning id
      )
      select count(*)::integer as names from forgotten`,
    values: [
      organization,
      id,
      named,
      limit,
      WITH_CREATOR,
      `("id":"${formatId("user", id)}","name":)"(?:[^"\\\\]|\\\\.)*"`,
      formatId("user", id),
    ],
  });
};

/** The types of events that have the name of a user. */
const WITH_CREATOR = [
  "user.message",
  "user.interrupt",
  "system.message",
  "user.tool_confirmation",
  "user.custom_tool_result",
  "agent.tool_use",
  "agent.mcp_tool_use",
  "session.confirmation_rule_added",
  "session.confirmation_rule_removed",
];

/** Returns a function that deletes rows of a table; the database deletes the rows of `parts` with them. */
function deleteWithParts(table: string, parts: string, column: string): EraseBatch {
  return async (tx, erasure, limit) =>
    await counted(tx, {
      text: `
        with picked as (
          select id from ${table} where ${ownerColumn(erasure)} = $1 order by id limit $2 for update
        ), gone as (
          delete from ${table} where id in (select id from picked) returning id
        )
        select count(*)::integer as ${table}, (
          select count(*)::integer from ${parts} where ${column} in (select id from picked)
        ) as ${parts} from gone`,
      values: [erasure.subject_id, limit],
    });
}

/** Returns a function that deletes rows of a table to which no session refers in this column. */
function deleteUnused(table: string, column: string): EraseBatch {
  return async (tx, erasure, limit) =>
    await counted(tx, {
      text: `
        with gone as (
          delete from ${table} where id in (
            select id from ${table} where ${ownerColumn(erasure)} = $1
              and not exists (select from sessions where ${column} = ${table}.id)
            order by id limit $2 for update
          ) returning id
        )
        select count(*)::integer as ${table} from gone`,
      values: [erasure.subject_id, limit],
    });
}

/**
 * Transfers the user's agents and environments that sessions of others use to the organization, archived. An
 * environment gets its id as its name if the organization already has one of that name.
 */
export async function handOver(
  tx: Queryable,
  { subject_id: user }: Erasure,
): Promise<Erasure["handed_over"]> {
  const set = `owner_type = 'organization', owner_id = organization_id,
    archived_at = coalesce(archived_at, now()), updated_at = now()`;
  const agents = await tx.query<{ id: string }>({
    name: "hand_over_agents",
    text: `update agents set ${set} where owner_id = $1 and owner_type = 'user' returning id`,
    values: [user],
  });
  const environments = await tx.query<{ id: string }>({
    name: "hand_over_environments",
    text: `update environments set ${set}, name = case when exists (
          select from environments as other where other.owner_id = environments.organization_id
            and other.name = environments.name and other.deleted_at is null
        ) then id::text else name end
      where owner_id = $1 and owner_type = 'user' returning id`,
    values: [user],
  });
  return [
    ...agents.rows.map(({ id }) => ({ type: "agent" as const, id })),
    ...environments.rows.map(({ id }) => ({ type: "environment" as const, id })),
  ];
}

/**
 * Deletes the rows of the user or organization itself, once all else is gone. Revokes the tokens of others
 * that descend from the subject's, across any number of generations, except independent ones and their
 * descendants.
 */
export async function deleteSubject(tx: Queryable, erasure: Erasure): Promise<Counts> {
  const { subject_id: id, subject_type: type } = erasure;
  const tokens =
    type === "user" ? "kind in ('pat', 'console') and principal_id = $1" : "organization_id = $1";
  const users = type === "user" ? "id = $1" : "organization_id = $1";
  const run = (text: string) => tx.query({ text, values: [id] });
  await run(
    `delete from idempotency_keys where token_id = $1 or token_id in (select id from tokens where ${tokens})`,
  );
  const { rowCount: revoked } = await run(`
    with recursive ended as (
      select id from tokens where ${tokens}
      union select child.id from tokens as child join ended on child.parent_id = ended.id where not child.independent
    )
    update tokens set revoked_at = now(), updated_at = now()
    where id in (select id from ended) and revoked_at is null and not (${tokens})`);
  await run(`update tokens set parent_id = null where parent_id in (select id from tokens where ${tokens})`);
  const { rowCount: deletedTokens } = await run(`delete from tokens where ${tokens}`);
  await run(`delete from limits where ${type === "user" ? "subject_id" : "organization_id"} = $1`);
  await run(`delete from spend_totals where ${type === "user" ? "subject_id" : "organization_id"} = $1`);
  await run(
    `delete from device_authorizations where ${type === "user" ? "user_id" : "organization_id"} = $1`,
  );
  await run(`delete from sandbox_usage where ${ownerColumn(erasure)} = $1`);
  await run(`delete from forward_registrations where user_id in (select id from users where ${users})`);
  if (type === "user")
    await run(
      "update webhooks set recipient_ids = array_remove(recipient_ids, $1) where $1 = any(recipient_ids)",
    );
  const { rowCount: deletedUsers } = await run(`delete from users where ${users}`);
  if (type === "user") return { tokens: deletedTokens, revoked_tokens: revoked, users: deletedUsers };
  await run("delete from retention where organization_id = $1");
  await run("delete from signing_keys where organization_id = $1");
  await run(`delete from repository_snapshots where mirror_id in (
    select id from repository_mirrors where organization_id = $1)`);
  const { rowCount: mirrors } = await run("delete from repository_mirrors where organization_id = $1");
  const { rowCount: accounts } = await run("delete from service_accounts where organization_id = $1");
  const { rowCount: organizations } = await run("delete from organizations where id = $1");
  return {
    ...{ tokens: deletedTokens, users: deletedUsers, service_accounts: accounts },
    ...{ repository_mirrors: mirrors, organizations },
  };
}

async function counted(tx: Queryable, statement: { text: string; values: unknown[] }): Promise<Counts> {
  const { rows } = await tx.query<Counts>(statement);
  return rows[0] ?? {};
}
