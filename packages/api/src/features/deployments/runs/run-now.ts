import { appendAuditEntry } from "@berth/store/audit";
import { asDatabase } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import type { RequestScope } from "../../../request/request-scope.ts";
import { requireDeploymentForUpdate } from "../store/deployment-store.ts";
import { type Ran, type RunDeps, runDeployment } from "./run-deployment.ts";

/** Runs a deployment by hand, also while it is paused. @throws errors.locked if it is archived */
export async function runNow(
  request: Pick<RequestScope, "db" | "principal" | "traceparent" | "auditEntry">,
  deps: RunDeps,
  deploymentId: string,
): Promise<Ran> {
  const { db, principal, traceparent, auditEntry } = request;
  return await db.transaction((tx) =>
    asDatabase(tx, async (whole) => {
      const deployment = await requireDeploymentForUpdate(whole.write, principal, deploymentId);
      if (deployment.archived_at !== null) throw errors.locked("deployment", deploymentId);
      const trigger = { type: "manual" as const, scheduledAt: null, traceparent, auditEntry };
      const ran = await runDeployment(whole, deps, deployment, trigger, deployment.next_run_at);
      if (ran.session === null) await appendAuditEntry(whole.write, auditEntry());
      return ran;
    }),
  );
}
