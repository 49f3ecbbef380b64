import { triggerRoutes } from "@berth/contract";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { listPage } from "../../request/page.ts";
import { requireDeployment } from "../deployments/store/deployment-store.ts";
import { createTrigger, type TriggerDeps, updateTrigger } from "./create-trigger.ts";
import { mountHooks } from "./receive-hook.ts";
import { requireTrigger, requireTriggerForUpdate } from "./require-trigger.ts";
import { listDeliveries, toDelivery } from "./store/trigger-delivery-store.ts";
import { deleteTrigger, listTriggers, type TriggerRow, toTrigger } from "./store/trigger-store.ts";
import { TriggerWorker, type TriggerWorkerDeps } from "./work/trigger-worker.ts";

/** Mounts the routes of triggers and their addresses. Returns what hands deliveries on, which is not started yet. */
export function mountTriggers(app: HttpApp, deps: TriggerDeps & TriggerWorkerDeps): TriggerWorker {
  const worker = new TriggerWorker(deps);
  mount(app, triggerRoutes.create, async ({ principal, db, address }, input) => {
    const { row, secret } = await db.transaction((tx) => createTrigger(tx, deps, principal, input));
    return { ...toTrigger(row, address()), secret };
  });
  mount(app, triggerRoutes.list, async (request, input) => {
    const { principal, db } = request;
    const { id } = await requireDeployment(db.read, principal, input.params.deployment_id);
    const shown = (row: TriggerRow) => toTrigger(row, request.address());
    return await listPage(request, input, "trigger", shown, (range) => listTriggers(db.read, id, range));
  });
  mount(app, triggerRoutes.get, async ({ principal, db, address }, { params }) =>
    toTrigger(await requireTrigger(db.read, principal, params), address()),
  );
  mount(app, triggerRoutes.update, async ({ principal, db, address }, input) =>
    toTrigger(await db.transaction((tx) => updateTrigger(tx, deps, principal, input)), address()),
  );
  mount(app, triggerRoutes.delete, async ({ principal, db }, { params }) => {
    await db.transaction(async (tx) =>
      deleteTrigger(tx, (await requireTriggerForUpdate(tx, principal, params)).id),
    );
    return { id: params.trigger_id, type: "trigger_deleted" as const };
  });
  mount(app, triggerRoutes.deliveries, async (request, input) => {
    const { principal, db } = request;
    const { id } = await requireTrigger(db.read, principal, input.params);
    return await listPage(request, input, "trigger_delivery", toDelivery, (range) =>
      listDeliveries(db.read, id, range, input.query.status),
    );
  });
  mountHooks(app, deps.secrets, () => worker.wake());
  return worker;
}
