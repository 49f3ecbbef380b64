import { budgetOf, formatId, type RunError, type TriggerSource, type TriggerType } from "@berth/contract";
import type { AuditEntry } from "@berth/store/audit";
import { asDatabase, type DatabaseAccess, DatabaseUnavailableError } from "@berth/store/db";
import { ApiError, errors } from "@berth/store/errors";
import type { Logger } from "pino";
import { type CreateSessionDeps, createSession } from "../../sessions/create-session.ts";
import type { SessionRow } from "../../sessions/session-row.ts";
import { withSecrets } from "../store/deployment-resources.ts";
import { type DeploymentRow, storeRunState } from "../store/deployment-store.ts";
import { actingPrincipal } from "./acting-principal.ts";
import { isLasting, runErrorOf } from "./run-error.ts";
import { insertRun, type RunRow, shareLikeDeployment } from "./run-store.ts";

export interface RunDeps extends CreateSessionDeps {
  log: Pick<Logger, "error">;
}

/** Why a deployment runs. */
export interface Trigger {
  type: TriggerType;
  /** The slot; null for a run that no schedule makes. */
  scheduledAt: Date | null;
  /** Of a delivery to a trigger: its sender's kind, and the sender's id of it. */
  source?: TriggerSource;
  deliveryId?: string;
  traceparent: string | null;
  /** Returns the entry in the audit log. @param created id of the session. */
  auditEntry(created?: string): AuditEntry;
}

/** A run, and the session that it created: its uuid, and whether it is due. */
export interface Ran {
  run: RunRow;
  session: { id: string; due: boolean } | null;
}

/** Number of runs in a row with errors that time does not heal after which a deployment is paused. */
const MAX_FAILURES = 5;

type Outcome =
  | { session: { row: SessionRow; due: boolean }; error: null }
  | { session: null; error: { type: RunError; message: string } };

/**
 * Runs a deployment whose row is locked: creates a session as its owner, stores the run, and pauses the deployment
 * if it keeps failing. All of it is part of the caller's transaction.
 *
 * @param nextRunAt The slot after this run.
 * @throws when the database fails, and when the slot has a run already.
 */
export async function runDeployment(
  db: DatabaseAccess,
  deps: RunDeps,
  deployment: DeploymentRow,
  trigger: Trigger,
  nextRunAt: Date | null,
): Promise<Ran> {
  const { session, error } = await attempt(db, deps, deployment, trigger);
  const run = await insertRun(db.write, deployment, {
    agent_version: session === null ? deployment.agent_version : versionOf(session.row),
    session_id: session?.row.id ?? null,
    error_type: error?.type ?? null,
    error_message: error?.message ?? null,
    trigger_type: trigger.type,
    scheduled_at: trigger.scheduledAt,
    source: trigger.source ?? null,
    delivery_id: trigger.deliveryId ?? null,
  });
  if (run === null) throw new Error("A slot was run twice.");
  await storeRunState(db.write, {
    id: deployment.id,
    last_run_at: trigger.scheduledAt ?? deployment.last_run_at,
    ...stateAfter(deployment, error?.type ?? null, nextRunAt),
  });
  return { run, session: session === null ? null : { id: session.row.id, due: session.due } };
}

/** Creates the session, or says why it could not be created. */
async function attempt(
  db: DatabaseAccess,
  deps: RunDeps,
  deployment: DeploymentRow,
  { traceparent, auditEntry }: Trigger,
): Promise<Outcome> {
  const principal = await actingPrincipal(db.read, deployment);
  if (principal === null) {
    const who = deployment.owner_type === "user" ? "user" : "service account";
    return {
      session: null,
      error: { type: "owner_disabled_error", message: `The ${who} that it acts as is disabled or gone.` },
    };
  }
  try {
    const session = await db.transaction((tx) =>
      asDatabase(tx, async (whole) => {
        const request = { db: whole, principal, traceparent, auditEntry };
        const created = await createSession(request, deps, bodyOf(deps, deployment), deployment.id);
        await shareLikeDeployment(whole.write, created.row.id, deployment.id);
        return created;
      }),
    );
    return { session, error: null };
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) throw error;
    if (error instanceof ApiError)
      return { session: null, error: { type: runErrorOf(error), message: error.message } };
    deps.log.error({ err: error, deployment: deployment.id }, "a deployment could not create a session");
    return { session: null, error: { type: "unknown_error", message: errors.internal().message } };
  }
}

function bodyOf({ secrets }: RunDeps, deployment: DeploymentRow) {
  const { agent_id, agent_version: version, environment_id, vault_ids, organization_access } = deployment;
  return {
    agent: { id: formatId("agent", agent_id), type: "agent" as const, version },
    environment_id: formatId("environment", environment_id),
    title: deployment.name,
    resources: withSecrets(secrets, deployment),
    vault_ids: vault_ids.map((id) => formatId("vault", id)),
    environment_variables: deployment.environment_variables,
    budget: deployment.budget_nano === null ? null : budgetOf(deployment.budget_nano),
    follow: deployment.follow,
    initial_events: deployment.initial_events,
    visibility: organization_access === null ? ("private" as const) : ("organization" as const),
  };
}

function versionOf({ agent }: SessionRow): number {
  return (JSON.parse(agent) as { version: number }).version;
}

/** Returns what a run leaves of its deployment's state. */
function stateAfter(
  { failures, paused_reason: paused }: DeploymentRow,
  error: RunError | null,
  nextRunAt: Date | null,
): Pick<DeploymentRow, "failures" | "paused_reason" | "next_run_at"> {
  if (error === null) return { failures: 0, paused_reason: paused, next_run_at: nextRunAt };
  const count = isLasting(error) ? failures + 1 : failures;
  const isOver = error === "owner_disabled_error" || (isLasting(error) && count >= MAX_FAILURES);
  if (paused !== null || !isOver) return { failures: count, paused_reason: paused, next_run_at: nextRunAt };
  return { failures: count, paused_reason: { type: "error", error: { type: error } }, next_run_at: null };
}
