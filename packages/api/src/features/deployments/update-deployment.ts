import { budgetInNanodollars, type deploymentRoutes, formatId, type Input, uuidOrNil } from "@berth/contract";
import { asDatabase } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { patchMetadata } from "../../request/patch-metadata.ts";
import type { RequestScope } from "../../request/request-scope.ts";
import { requirePriced } from "../sessions/budgets/require-priced.ts";
import { type CreateSessionDeps, checkSession } from "../sessions/create-session.ts";
import { agentOf } from "./create-deployment.ts";
import { requireSlot } from "./schedule/resolve-schedule.ts";
import { sealSecrets, withoutSecrets } from "./store/deployment-resources.ts";
import {
  type DeploymentRow,
  readClock,
  requireDeploymentForUpdate,
  storeDeployment,
} from "./store/deployment-store.ts";

type Body = Input<typeof deploymentRoutes.update>["body"];

/** The fields that decide what sessions refer to. If one of them, or a bound on cost, is given, all of it is checked again. */
const REFERRING = ["agent", "environment_id", "initial_events", "resources", "vault_ids"] as const;

/**
 * Updates a deployment.
 * @throws errors.locked, and what `createDeployment` throws
 */
export async function updateDeployment(
  request: Pick<RequestScope, "db" | "principal">,
  deps: CreateSessionDeps,
  deploymentId: string,
  body: Body,
): Promise<DeploymentRow> {
  const { db, principal } = request;
  return await db.transaction((tx) =>
    asDatabase(tx, async (whole) => {
      const deployment = await requireDeploymentForUpdate(whole.write, principal, deploymentId);
      if (deployment.archived_at !== null) throw errors.locked("deployment", deploymentId);
      const slot = body.schedule == null ? null : requireSlot(body.schedule, await readClock(whole.read));
      if (REFERRING.some((name) => body[name] !== undefined) || body.budget != null || body.follow != null)
        await checkUpdate({ db: whole, principal }, deps, deployment, body);
      return await storeDeployment(whole.write, changed(deps, deployment, body, slot));
    }),
  );
}

async function checkUpdate(
  request: Pick<RequestScope, "db" | "principal">,
  deps: CreateSessionDeps,
  deployment: DeploymentRow,
  body: Body,
): Promise<void> {
  const { agent } = await checkSession(request, deps, sessionOf(deployment, body));
  const { budget_nano, follow } = deployment;
  const bounds = {
    budget: body.budget === undefined ? budget_nano : body.budget,
    follow: body.follow === undefined ? follow : body.follow,
  };
  requirePriced(deps.models, agent.row.definition, bounds, (bound) => body[bound] !== undefined);
}

/** Returns what sessions will refer to, as a request that creates one says it. */
function sessionOf(deployment: DeploymentRow, body: Body) {
  const {
    agent_id,
    agent_version: version,
    environment_id,
    vault_ids,
    resources,
    initial_events,
  } = deployment;
  return {
    agent: body.agent ?? { id: formatId("agent", agent_id), type: "agent" as const, version },
    environment_id: body.environment_id ?? formatId("environment", environment_id),
    initial_events: body.initial_events ?? initial_events,
    resources: body.resources === undefined ? [...resources] : body.resources,
    vault_ids: body.vault_ids === undefined ? vault_ids.map((id) => formatId("vault", id)) : body.vault_ids,
  };
}

function changed(
  { secrets }: CreateSessionDeps,
  deployment: DeploymentRow,
  body: Body,
  slot: number | null,
): DeploymentRow {
  const { id, paused_reason: paused } = deployment;
  return {
    ...deployment,
    name: body.name ?? deployment.name,
    description: body.description === undefined ? deployment.description : body.description,
    ...(body.agent !== undefined && agentOf(body.agent)),
    ...(body.environment_id !== undefined && {
      environment_id: uuidOrNil("environment", body.environment_id),
    }),
    ...(body.initial_events !== undefined && { initial_events: body.initial_events }),
    ...(body.resources !== undefined && {
      resources: withoutSecrets(body.resources ?? []),
      resource_secrets: sealSecrets(secrets, id, body.resources ?? []),
    }),
    ...(body.vault_ids !== undefined && {
      vault_ids: (body.vault_ids ?? []).map((vault) => uuidOrNil("vault", vault)),
    }),
    ...(body.environment_variables !== undefined && {
      environment_variables: body.environment_variables ?? {},
    }),
    ...(body.budget !== undefined && {
      budget_nano: body.budget === null ? null : budgetInNanodollars(body.budget),
    }),
    ...(body.follow !== undefined && { follow: body.follow }),
    ...(body.schedule !== undefined && {
      schedule: body.schedule,
      next_run_at: slot === null || paused !== null ? null : new Date(slot),
    }),
    metadata: patchMetadata(deployment.metadata, body.metadata),
  };
}
