import { deploymentRoutes, deploymentRunRoutes } from "@berth/contract";
import type { HttpApp } from "../../http/http-app.ts";
import { mount, mountSelfAudited } from "../../http/mount.ts";
import { listPage } from "../../request/page.ts";
import { createDeployment } from "./create-deployment.ts";
import { pauseDeployment, unpauseDeployment } from "./pause-deployment.ts";
import { DeploymentScheduler, type SchedulerDeps } from "./runs/deployment-scheduler.ts";
import { runNow } from "./runs/run-now.ts";
import { listRuns, requireRun, toRun } from "./runs/run-store.ts";
import {
  archiveDeployment,
  listDeployments,
  requireDeployment,
  requireDeploymentForUpdate,
  toDeployment,
} from "./store/deployment-store.ts";
import { updateDeployment } from "./update-deployment.ts";

/** Mounts the routes of deployments. Returns what runs them, which is not started yet. */
export function mountDeployments(app: HttpApp, deps: SchedulerDeps): DeploymentScheduler {
  const { hub } = deps;
  const scheduler = new DeploymentScheduler(deps);
  const wake = () => scheduler.wake();
  mount(app, deploymentRoutes.create, async (request, { body }) => {
    request.afterCommit(wake);
    return toDeployment(await createDeployment(request, deps, body));
  });
  mount(app, deploymentRoutes.list, (request, input) =>
    listPage(request, input, "deployment", toDeployment, (range) =>
      listDeployments(request.db.read, request.principal, range, input.query),
    ),
  );
  mount(app, deploymentRoutes.get, async ({ principal, db }, { params }) =>
    toDeployment(await requireDeployment(db.read, principal, params.deployment_id)),
  );
  mount(app, deploymentRoutes.update, async (request, { params, body }) => {
    request.afterCommit(wake);
    return toDeployment(await updateDeployment(request, deps, params.deployment_id, body));
  });
  mount(app, deploymentRoutes.pause, async ({ principal, db }, { params }) =>
    toDeployment(await pauseDeployment(db, principal, params.deployment_id)),
  );
  mount(app, deploymentRoutes.unpause, async ({ principal, db, afterCommit }, { params }) => {
    afterCommit(wake);
    return toDeployment(await unpauseDeployment(db, principal, params.deployment_id));
  });
  mountSelfAudited(app, deploymentRoutes.run, async (request, { params }) => {
    const { run, session } = await runNow(request, deps, params.deployment_id);
    if (session?.due) request.afterCommit(() => hub.publish(session.id, true));
    return toRun(run);
  });
  mount(app, deploymentRoutes.archive, async ({ principal, db }, { params }) => {
    const { deployment_id: id } = params;
    return await db.transaction(async (tx) => {
      await archiveDeployment(tx, (await requireDeploymentForUpdate(tx, principal, id)).id);
      return toDeployment(await requireDeployment(tx, principal, id));
    });
  });
  mount(app, deploymentRoutes.runs, async (request, input) => {
    const { db, principal } = request;
    const { id: deploymentUuid } = await requireDeployment(db.read, principal, input.params.deployment_id);
    return await listPage(request, input, "deployment_run", toRun, (range) =>
      listRuns(db.read, principal, range, { ...input.query, deploymentUuid }),
    );
  });
  mount(app, deploymentRunRoutes.list, async (request, input) => {
    const { db, principal } = request;
    const { deployment_id: id } = input.query;
    const deploymentUuid =
      id === undefined ? null : (await requireDeployment(db.read, principal, id, "deployment_id")).id;
    return await listPage(request, input, "deployment_run", toRun, (range) =>
      listRuns(db.read, principal, range, { ...input.query, deploymentUuid }),
    );
  });
  mount(app, deploymentRunRoutes.get, async ({ principal, db }, { params }) =>
    toRun(await requireRun(db.read, principal, params.deployment_run_id)),
  );
  return scheduler;
}
