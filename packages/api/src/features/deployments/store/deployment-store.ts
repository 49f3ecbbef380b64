import { budgetOf, type Deployment, type FollowInput, formatId, type PausedReason } from "@berth/contract";
import {
  type OwnedRow,
  ownedFields,
  ownedList,
  requireAccess,
  requireAccessForUpdate,
  SHARED_COLUMNS,
} from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { type StoredSchedule, shownSchedule } from "../schedule/resolve-schedule.ts";
import type { StoredResources } from "./deployment-resources.ts";

export interface DeploymentRow extends OwnedRow, StoredResources {
  /** uuid of the service account that an organization's deployment acts as. */
  service_account_id: string | null;
  name: string;
  description: string | null;
  agent_id: string;
  /** Null for the newest at each run. */
  agent_version: number | null;
  environment_id: string;
  initial_events: Deployment["initial_events"];
  vault_ids: string[];
  environment_variables: Record<string, string>;
  /** Nanodollars; null for none. */
  budget_nano: number | null;
  follow: FollowInput | null;
  metadata: Record<string, string>;
  schedule: StoredSchedule | null;
  last_run_at: Date | null;
  next_run_at: Date | null;
  paused_reason: PausedReason;
  /** Number of runs in a row with an error that time does not heal. */
  failures: number;
}

/** What a request gives of a deployment. */
export type GivenDeployment = Omit<DeploymentRow, "archived_at" | "updated_at" | "last_run_at">;

const COLUMNS = `id, ${SHARED_COLUMNS}, service_account_id, name, description, agent_id, agent_version, environment_id,
  initial_events, resources, resource_secrets, vault_ids, environment_variables, budget_nano, follow, metadata, schedule,
  last_run_at, next_run_at, paused_reason, failures, archived_at, updated_at`;

/** Number of deployments of one slot that start at once. Others start some seconds later. */
const AT_ONCE = 20;
const SPREAD_MS = 10_000;

/** SQL for when a slot starts. @param slot of the parameter, @param spread of that with milliseconds. */
const startOf = (slot: string, spread: string) => `
  ${slot}::timestamptz + case when (
    select count(*) from (select from deployments where next_run_at = ${slot}::timestamptz limit ${AT_ONCE}) as same
  ) < ${AT_ONCE} then 0 else ${spread}::integer end * interval '1 millisecond'`;

/** The milliseconds by which a deployment starts late where many have one slot: always the same. */
const spreadOf = (id: string) => Number.parseInt(id.slice(-6), 16) % SPREAD_MS;

/** Returns the clock of schedules in milliseconds since 1970. */
export async function readClock(db: Queryable): Promise<number> {
  const text = "select extract(epoch from deployment_clock())::double precision * 1000 as now";
  const { rows } = await db.query<{ now: number }>({ name: "deployment_clock", text });
  return Math.floor(rows[0]?.now ?? Number.NaN);
}

const GIVEN = [
  "id",
  "organization_id",
  "owner_type",
  "owner_id",
  "organization_access",
  "service_account_id",
  "name",
  "description",
  "agent_id",
  "agent_version",
  "environment_id",
  "initial_events",
  "resources",
  "resource_secrets",
  "vault_ids",
  "environment_variables",
  "budget_nano",
  "follow",
  "metadata",
  "schedule",
  "next_run_at",
  "paused_reason",
  "failures",
] as const satisfies readonly (keyof GivenDeployment)[];
const JSON_COLUMNS: readonly string[] = [
  "initial_events",
  "resources",
  "schedule",
  "paused_reason",
  "follow",
];

/** Stores a deployment, or the new fields of a locked one. */
export async function storeDeployment(tx: Queryable, deployment: GivenDeployment): Promise<DeploymentRow> {
  const given = GIVEN.map((name) => {
    const value = deployment[name];
    return value !== null && JSON_COLUMNS.includes(name) ? JSON.stringify(value) : value;
  });
  const slot = `$${GIVEN.indexOf("next_run_at") + 1}`;
  const { rows } = await tx.query<DeploymentRow>({
    name: "store_deployment",
    text: `
      insert into deployments (${GIVEN.join(", ")}, start_at)
      values (${GIVEN.map((_, index) => `$${index + 1}`).join(", ")}, ${startOf(slot, `$${GIVEN.length + 1}`)})
      on conflict (id) do update set updated_at = now(), start_at = excluded.start_at,
        ${GIVEN.filter((name) => name !== "id")
          .map((name) => `${name} = excluded.${name}`)
          .join(", ")}
      returning ${COLUMNS}`,
    values: [...given, spreadOf(deployment.id)],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("A deployment was not stored.");
  return row;
}

async function getDeployment(db: Queryable, id: string): Promise<DeploymentRow | null> {
  const text = `select ${COLUMNS} from deployments where id = $1`;
  return (await db.query<DeploymentRow>({ name: "get_deployment", text, values: [id] })).rows[0] ?? null;
}

/** Returns a deployment, and locks it until the transaction ends. */
export async function lockDeployment(tx: Queryable, id: string): Promise<DeploymentRow | null> {
  const text = `select ${COLUMNS} from deployments where id = $1 for update`;
  return (await tx.query<DeploymentRow>({ name: "lock_deployment", text, values: [id] })).rows[0] ?? null;
}

/** @throws errors.notFound, errors.notYours */
export const requireDeployment = requireAccess("deployment", getDeployment);

/** Returns the same as `requireDeployment`, and locks the deployment until the transaction ends. */
export const requireDeploymentForUpdate = requireAccessForUpdate("deployment", getDeployment, lockDeployment);

const BYTES =
  "octet_length(initial_events::text) + octet_length(resources::text) + octet_length(environment_variables::text)";

export const listDeployments = ownedList<DeploymentRow>("deployment", "deployments", COLUMNS, {
  bytes: BYTES,
});

/** Archives a locked deployment. Does nothing if it is archived already. */
export async function archiveDeployment(tx: Queryable, id: string): Promise<void> {
  await tx.query({
    name: "archive_deployment",
    text: `update deployments set archived_at = now(), updated_at = now(), next_run_at = null, start_at = null
      where id = $1 and archived_at is null`,
    values: [id],
  });
}

/** A deployment that is due, with the time of the clock of schedules. */
export type DueDeployment = DeploymentRow & { next_run_at: Date; now: Date };

/** Locks the deployment that is due longest and that nobody else has locked; null when there is none. */
export async function lockDue(tx: Queryable): Promise<DueDeployment | null> {
  const { rows } = await tx.query<DueDeployment>({
    name: "lock_due_deployment",
    text: `
      select ${COLUMNS}, (select deployment_clock()) as now from deployments
      where start_at <= (select deployment_clock()) order by start_at limit 1 for update skip locked`,
  });
  return rows[0] ?? null;
}

/** Returns the milliseconds until the next deployment is due, not positive if one is; null when none will be. */
export async function untilDue(db: Queryable): Promise<number | null> {
  const { rows } = await db.query<{ ms: number | null }>({
    name: "until_due_deployment",
    text: `select extract(epoch from (select min(start_at) from deployments where start_at is not null)
      - deployment_clock())::double precision * 1000 as ms`,
  });
  return rows[0]?.ms ?? null;
}

/** What a run changes of its deployment. */
export type RunState = Pick<
  DeploymentRow,
  "id" | "last_run_at" | "next_run_at" | "paused_reason" | "failures"
>;

/** Stores what a run changed of its locked deployment. */
export async function storeRunState(tx: Queryable, state: RunState): Promise<void> {
  await tx.query({
    name: "store_deployment_run_state",
    text: `update deployments set last_run_at = $2, next_run_at = $3, start_at = ${startOf("$3", "$6")},
      paused_reason = $4, failures = $5 where id = $1`,
    values: [
      state.id,
      state.last_run_at,
      state.next_run_at,
      state.paused_reason === null ? null : JSON.stringify(state.paused_reason),
      state.failures,
      spreadOf(state.id),
    ],
  });
}

/** Has a deployment start a minute later, since its run failed in a way that left no trace. */
export async function postpone(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "postpone_deployment",
    text: "update deployments set start_at = deployment_clock() + interval '1 minute' where id = $1 and start_at is not null",
    values: [id],
  });
}

export function toDeployment(row: DeploymentRow): Deployment {
  const { schedule, last_run_at: last, next_run_at: next } = row;
  return {
    id: formatId("deployment", row.id),
    type: "deployment",
    name: row.name,
    description: row.description,
    agent: { id: formatId("agent", row.agent_id), type: "agent", version: row.agent_version },
    environment_id: formatId("environment", row.environment_id),
    initial_events: row.initial_events,
    resources: [...row.resources],
    vault_ids: row.vault_ids.map((id) => formatId("vault", id)),
    environment_variables: row.environment_variables,
    budget: row.budget_nano === null ? null : budgetOf(row.budget_nano),
    follow: row.follow === null ? null : { ...row.follow, max_list_cost: row.follow.max_list_cost ?? null },
    schedule: schedule === null ? null : shownSchedule(schedule, { last, next }),
    status: row.paused_reason === null ? "active" : "paused",
    paused_reason: row.paused_reason,
    metadata: row.metadata,
    ...ownedFields(row),
  };
}
