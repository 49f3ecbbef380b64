import type { Principal } from "@berth/store/access";
import { asDatabase, type DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { serviceAccountOf } from "./create-deployment.ts";
import { slotAfter } from "./schedule/resolve-schedule.ts";
import {
  type DeploymentRow,
  readClock,
  requireDeploymentForUpdate,
  storeDeployment,
} from "./store/deployment-store.ts";

/** Pauses a deployment. Does nothing if it is paused already. @throws errors.locked */
export async function pauseDeployment(
  db: DatabaseAccess,
  principal: Principal,
  deploymentId: string,
): Promise<DeploymentRow> {
  return await change(db, principal, deploymentId, async (_, deployment) =>
    deployment.paused_reason !== null
      ? deployment
      : { ...deployment, paused_reason: { type: "manual" }, next_run_at: null },
  );
}

/**
 * Has a paused deployment run from now on. One of an organization acts as the service account that unpauses it.
 * @throws errors.locked
 */
export async function unpauseDeployment(
  db: DatabaseAccess,
  principal: Principal,
  deploymentId: string,
): Promise<DeploymentRow> {
  return await change(db, principal, deploymentId, async (whole, deployment) => {
    if (deployment.paused_reason === null) return deployment;
    const slot = slotAfter(deployment.schedule, await readClock(whole.read));
    const isOfOrganization = deployment.owner_type === "organization";
    return {
      ...deployment,
      ...{ paused_reason: null, failures: 0, next_run_at: slot === null ? null : new Date(slot) },
      service_account_id:
        (isOfOrganization ? serviceAccountOf(principal) : null) ?? deployment.service_account_id,
    };
  });
}

async function change(
  db: DatabaseAccess,
  principal: Principal,
  deploymentId: string,
  changed: (db: DatabaseAccess, deployment: DeploymentRow) => Promise<DeploymentRow>,
): Promise<DeploymentRow> {
  return await db.transaction((tx) =>
    asDatabase(tx, async (whole) => {
      const deployment = await requireDeploymentForUpdate(whole.write, principal, deploymentId);
      if (deployment.archived_at !== null) throw errors.locked("deployment", deploymentId);
      const next = await changed(whole, deployment);
      return next === deployment ? deployment : await storeDeployment(whole.write, next);
    }),
  );
}
