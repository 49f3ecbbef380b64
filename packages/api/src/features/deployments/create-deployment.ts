import { budgetInNanodollars, type deploymentRoutes, type Input, newUuid, uuidOrNil } from "@berth/contract";
import { ownedBy, type Principal } from "@berth/store/access";
import type { RequestScope } from "../../request/request-scope.ts";
import { requirePriced } from "../sessions/budgets/require-priced.ts";
import { type CreateSessionDeps, checkSession } from "../sessions/create-session.ts";
import { requireSlot } from "./schedule/resolve-schedule.ts";
import { sealSecrets, withoutSecrets } from "./store/deployment-resources.ts";
import { type DeploymentRow, readClock, storeDeployment } from "./store/deployment-store.ts";

export type DeploymentBody = Input<typeof deploymentRoutes.create>["body"];

/**
 * Creates a deployment. What it refers to is checked as for a session, except for limits. So are
 * the prices of the models that the agent has now, if a budget or `follow` needs them.
 * @throws errors.invalid for a schedule that cannot be read or never runs
 */
export async function createDeployment(
  request: Pick<RequestScope, "db" | "principal">,
  deps: CreateSessionDeps,
  body: DeploymentBody,
): Promise<DeploymentRow> {
  const { db, principal } = request;
  const { schedule = null, resources, metadata } = body;
  const next = schedule === null ? null : requireSlot(schedule, await readClock(db.read));
  const { agent } = await checkSession(request, deps, body);
  requirePriced(deps.models, agent.row.definition, body);
  const id = newUuid();
  return await storeDeployment(db.write, {
    ...{ id, ...ownedBy(principal, body.visibility), service_account_id: serviceAccountOf(principal) },
    name: body.name,
    description: body.description ?? null,
    ...agentOf(body.agent),
    environment_id: uuidOrNil("environment", body.environment_id),
    initial_events: body.initial_events,
    resources: withoutSecrets(resources ?? []),
    resource_secrets: sealSecrets(deps.secrets, id, resources ?? []),
    vault_ids: (body.vault_ids ?? []).map((vault) => uuidOrNil("vault", vault)),
    environment_variables: body.environment_variables ?? {},
    budget_nano: body.budget == null ? null : budgetInNanodollars(body.budget),
    follow: body.follow ?? null,
    metadata: metadata ?? {},
    schedule,
    next_run_at: next === null ? null : new Date(next),
    ...{ paused_reason: null, failures: 0 },
  });
}

/** Returns the columns of the agent that a request names. */
export function agentOf(agent: DeploymentBody["agent"]): Pick<DeploymentRow, "agent_id" | "agent_version"> {
  const { id, version = null } = typeof agent === "string" ? { id: agent } : agent;
  return { agent_id: uuidOrNil("agent", id), agent_version: version };
}

/** Returns the service account that a principal's deployments act as; null for a user's. */
export function serviceAccountOf({ kind, id }: Principal): string | null {
  return kind === "service_account" ? id : null;
}
