import { formatId } from "@berth/contract";
import type { AuditEntry } from "@berth/store/audit";
import { asDatabase, type DatabaseAccess, DatabaseUnavailableError } from "@berth/store/db";
import { MAX_MISSED, slotAfter, slotsUntil } from "../schedule/resolve-schedule.ts";
import {
  type DeploymentRow,
  type DueDeployment,
  lockDue,
  postpone,
  storeRunState,
} from "../store/deployment-store.ts";
import { type Ran, type RunDeps, runDeployment } from "./run-deployment.ts";
import { hasRun, insertMissed } from "./run-store.ts";

/** Milliseconds after which a slot that no service began is missed: none ran, or all had too much to do. */
const LATE_MS = 60_000;

/**
 * Runs the deployment that is due longest, in one transaction. Of slots that passed meanwhile, the newest runs if it is
 * not late, and the others are listed as missed.
 *
 * @returns null when none is due that nobody else runs; a deployment whose newest slot is late has no run.
 */
export async function runDue(db: DatabaseAccess, deps: RunDeps): Promise<{ ran: Ran | null } | null> {
  let claimed: DueDeployment | null = null;
  try {
    return await db.transaction((tx) =>
      asDatabase(tx, async (whole) => {
        claimed = await lockDue(whole.write);
        return claimed === null ? null : { ran: await runSlots(whole, deps, claimed) };
      }),
    );
  } catch (error) {
    const failed = claimed as DueDeployment | null;
    if (failed === null || error instanceof DatabaseUnavailableError) throw error;
    deps.log.error(
      { err: error, deployment: formatId("deployment", failed.id) },
      "a deployment could not run",
    );
    await postpone(db.write, failed.id);
    return { ran: null };
  }
}

async function runSlots(db: DatabaseAccess, deps: RunDeps, deployment: DueDeployment): Promise<Ran | null> {
  const { id, schedule, next_run_at: first, last_run_at, failures, paused_reason } = deployment;
  const now = deployment.now.getTime();
  const slots = schedule === null ? [] : slotsUntil(schedule, first.getTime(), now);
  const [newest] = slots;
  const slot = newest !== undefined && now - newest <= LATE_MS ? new Date(newest) : null;
  await insertMissed(db.write, deployment, (slot === null ? slots : slots.slice(1)).slice(0, MAX_MISSED));
  const after = slotAfter(schedule, now);
  const next = after === null ? null : new Date(after);
  if (slot !== null && !(await hasRun(db.write, id, slot))) {
    const trigger = { type: "schedule" as const, scheduledAt: slot, traceparent: null };
    return await runDeployment(
      db,
      deps,
      deployment,
      { ...trigger, auditEntry: auditEntryOf(deployment) },
      next,
    );
  }
  await storeRunState(db.write, { id, last_run_at, next_run_at: next, paused_reason, failures });
  return null;
}

/** Returns the function for the audit entry of a run that a schedule makes: an action of Berth itself. */
function auditEntryOf({ id, organization_id }: DeploymentRow): (created?: string) => AuditEntry {
  return (created) => ({
    organizationId: organization_id,
    actor: { type: "service" },
    operation: "deployments schedule",
    resources: [formatId("deployment", id), ...(created === undefined ? [] : [created])],
    ...{ client: "berth", userAgent: null, requestId: null },
  });
}
