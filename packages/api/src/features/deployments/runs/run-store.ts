import {
  type DeploymentRun,
  formatId,
  newUuid,
  type RunError,
  TRIGGER_TYPES,
  type TriggerSource,
  type TriggerType,
  uuidTimestamp,
} from "@berth/contract";
import { type Owner, ownerBranches, type Principal, requireAccess } from "@berth/store/access";
import { type KeysetRange, type Queryable, selectKeyset } from "@berth/store/db";
import type { DeploymentRow } from "../store/deployment-store.ts";

export interface RunRow {
  id: string;
  deployment_id: string;
  agent_id: string;
  agent_version: number | null;
  session_id: string | null;
  error_type: RunError | null;
  error_message: string | null;
  trigger_type: TriggerType;
  /** The slot; null for a run that no schedule made. */
  scheduled_at: Date | null;
  /** When its session first ended a turn by itself; null before that. */
  succeeded_at: Date | null;
  /** Of a run that a delivery to a trigger made; null for others. */
  source: TriggerSource | null;
  delivery_id: string | null;
}

const COLUMNS =
  "id, deployment_id, agent_id, agent_version, session_id, error_type, error_message, trigger_type, scheduled_at, succeeded_at, source, delivery_id";

/** Stores a run of a locked deployment. Returns null when the slot has one. */
export async function insertRun(
  tx: Queryable,
  { id: deploymentId, organization_id, owner_id, agent_id }: DeploymentRow,
  run: Omit<RunRow, "id" | "deployment_id" | "agent_id" | "succeeded_at">,
): Promise<RunRow | null> {
  const { rows } = await tx.query<RunRow>({
    name: "insert_deployment_run",
    text: `
      insert into deployment_runs (id, deployment_id, organization_id, owner_id, agent_id, agent_version, session_id,
        error_type, error_message, trigger_type, scheduled_at, source, delivery_id)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
      on conflict (deployment_id, scheduled_at) do nothing
      returning ${COLUMNS}`,
    values: [
      newUuid(),
      deploymentId,
      organization_id,
      owner_id,
      agent_id,
      run.agent_version,
      run.session_id,
      run.error_type,
      run.error_message,
      run.trigger_type,
      run.scheduled_at,
      run.source,
      run.delivery_id,
    ],
  });
  return rows[0] ?? null;
}

/** Stores runs for slots that no service began in time, given newest first. */
export async function insertMissed(
  tx: Queryable,
  { id: deploymentId, organization_id, owner_id, agent_id, agent_version }: DeploymentRow,
  slots: readonly number[],
): Promise<void> {
  if (slots.length === 0) return;
  const oldestFirst = slots.toReversed();
  await tx.query({
    name: "insert_missed_runs",
    text: `
      insert into deployment_runs (id, deployment_id, organization_id, owner_id, agent_id, agent_version, error_type,
        error_message, trigger_type, scheduled_at)
      select id, $1, $2, $3, $4, $5, 'missed', 'No service began it within a minute of its time.', 'schedule', slot
      from unnest($6::uuid[], $7::timestamptz[]) as given (id, slot)
      on conflict (deployment_id, scheduled_at) do nothing`,
    values: [
      deploymentId,
      organization_id,
      owner_id,
      agent_id,
      agent_version,
      oldestFirst.map(() => newUuid()),
      oldestFirst.map((slot) => new Date(slot).toISOString()),
    ],
  });
}

/** Returns whether a slot has a run already. */
export async function hasRun(tx: Queryable, deploymentId: string, slot: Date): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: "has_deployment_run",
    text: "select from deployment_runs where deployment_id = $1 and scheduled_at = $2",
    values: [deploymentId, slot],
  });
  return rowCount > 0;
}

/** Shares a session with the users with whom its deployment is shared. */
export async function shareLikeDeployment(
  tx: Queryable,
  sessionId: string,
  deploymentId: string,
): Promise<void> {
  await tx.query({
    name: "share_like_deployment",
    text: `insert into shares (object_id, kind, user_id, access)
      select $1, 'session', user_id, access from shares where object_id = $2`,
    values: [sessionId, deploymentId],
  });
}

/** The filters of a list of runs. */
export interface RunFilters {
  has_error?: boolean | undefined;
  trigger_type?: TriggerType | undefined;
}

/** Lists runs, newest first. @param deploymentUuid of one deployment; null for those that are the principal's own. */
export async function listRuns(
  db: Queryable,
  principal: Principal,
  range: KeysetRange,
  {
    deploymentUuid,
    has_error: hasError,
    trigger_type: trigger,
  }: RunFilters & { deploymentUuid: string | null },
): Promise<RunRow[]> {
  const branches =
    deploymentUuid === null ? ownerBranches(principal) : [{ column: "deployment_id", value: deploymentUuid }];
  const listing = { table: "deployment_runs", columns: COLUMNS };
  if (hasError === undefined && trigger === undefined)
    return await selectKeyset<RunRow>(db, range, listing, branches);
  const ends = hasError === undefined ? ["done", "failed"] : [hasError ? "failed" : "done"];
  const outcomes = (trigger === undefined ? TRIGGER_TYPES : [trigger]).flatMap((type) =>
    ends.map((end) => `${type} ${end}`),
  );
  const filtered = branches.flatMap((branch) =>
    outcomes.map((value) => ({ ...branch, also: { column: "outcome", value } })),
  );
  return await selectKeyset<RunRow>(db, range, listing, filtered);
}

/** A run with what decides who sees its deployment. */
type OwnedRun = RunRow & Owner & { organization_access: "read" | null; shared_by: string };

async function getRun(db: Queryable, id: string): Promise<OwnedRun | null> {
  const { rows } = await db.query<OwnedRun>({
    name: "get_deployment_run",
    text: `
      select ${COLUMNS.replaceAll(/(^|, )/g, "$1run.")}, deployments.organization_id, owner_type,
        deployments.owner_id, organization_access, deployments.id as shared_by
      from deployment_runs as run join deployments on deployments.id = deployment_id where run.id = $1`,
    values: [id],
  });
  return rows[0] ?? null;
}

/** Returns a run of a deployment that the principal can see. @throws errors.notFound, errors.notYours */
export const requireRun = requireAccess("deployment_run", getRun);

export function toRun(row: RunRow): DeploymentRun {
  return {
    id: formatId("deployment_run", row.id),
    type: "deployment_run",
    deployment_id: formatId("deployment", row.deployment_id),
    agent: { id: formatId("agent", row.agent_id), version: row.agent_version },
    session_id: row.session_id === null ? null : formatId("session", row.session_id),
    error: row.error_type === null ? null : { type: row.error_type, message: row.error_message ?? "" },
    succeeded_at: row.succeeded_at?.toISOString() ?? null,
    trigger_context: contextOf(row),
    created_at: uuidTimestamp(row.id),
  };
}

function contextOf({ scheduled_at: slot, source, delivery_id }: RunRow): DeploymentRun["trigger_context"] {
  if (slot !== null) return { type: "schedule", scheduled_at: slot.toISOString() };
  if (source !== null && delivery_id !== null) return { type: "event", source, delivery_id };
  return { type: "manual" };
}
