import { parseId } from "@berth/contract";
import { type Principal, requireFound } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { requireDeployment, requireDeploymentForUpdate } from "../deployments/store/deployment-store.ts";
import { getTrigger, type TriggerRow } from "./store/trigger-store.ts";

interface Params {
  deployment_id: string;
  trigger_id: string;
}

/** Returns a trigger of a deployment that the principal may read or change. @throws errors.notFound, errors.notYours */
export async function requireTrigger(
  db: Queryable,
  principal: Principal,
  params: Params,
): Promise<TriggerRow> {
  const { id } = await requireDeployment(db, principal, params.deployment_id);
  return await triggerOf(db, id, params.trigger_id);
}

/** Returns the same, and locks the deployment until the transaction ends. */
export async function requireTriggerForUpdate(
  tx: Queryable,
  principal: Principal,
  params: Params,
): Promise<TriggerRow> {
  const { id } = await requireDeploymentForUpdate(tx, principal, params.deployment_id);
  return await triggerOf(tx, id, params.trigger_id);
}

async function triggerOf(db: Queryable, deploymentId: string, triggerId: string): Promise<TriggerRow> {
  const uuid = parseId("trigger", triggerId);
  const found = uuid === null ? null : await getTrigger(db, uuid);
  return requireFound("trigger", triggerId, found?.deployment_id === deploymentId ? found : null);
}
