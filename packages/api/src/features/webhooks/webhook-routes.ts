import { newUuid, WEBHOOK_TEST, webhookRoutes } from "@berth/contract";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { listPage } from "../../request/page.ts";
import { createWebhook, type WebhookDeps } from "./create-webhook.ts";
import { type DeliveryRow, listDeliveries, readSigning, toDelivery } from "./delivery/delivery-store.ts";
import { type SendDeps, sendEvent } from "./delivery/send-event.ts";
import { redeliver } from "./redeliver.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { updateWebhook } from "./update-webhook.ts";
import {
  deleteRow,
  disableRow,
  enableRow,
  listWebhooks,
  requireWebhook,
  requireWebhookForUpdate,
  toWebhook,
} from "./webhook-store.ts";

export interface WebhookRouteDeps extends Omit<WebhookDeps, "sendsMail">, Omit<SendDeps, "db"> {}

export function mountWebhooks(app: HttpApp, given: WebhookRouteDeps): void {
  const deps = { ...given, sendsMail: given.relay !== null };
  const { secrets } = deps;

  mount(app, webhookRoutes.create, async ({ principal, db }, { body }) => {
    const { row, secret } = await db.transaction((tx) => createWebhook(tx, deps, principal, body));
    return { ...toWebhook(row), secret };
  });
  mount(app, webhookRoutes.list, (request, input) =>
    listPage(request, input, "webhook", toWebhook, (range) =>
      listWebhooks(request.db.read, request.principal, range),
    ),
  );
  mount(app, webhookRoutes.get, async ({ principal, db }, { params }) =>
    toWebhook(await requireWebhook(db.read, principal, params.webhook_id)),
  );
  mount(app, webhookRoutes.update, async ({ principal, db }, input) =>
    toWebhook(await updateWebhook(db, deps, principal, input)),
  );
  mount(app, webhookRoutes.delete, async ({ principal, db }, { params }) => {
    await db.transaction(async (tx) => {
      const { id } = await requireWebhookForUpdate(tx, principal, params.webhook_id);
      await deleteRow(tx, id);
    });
    return { id: params.webhook_id, type: "webhook_deleted" as const };
  });
  mount(app, webhookRoutes.enable, ({ principal, db }, { params }) =>
    db.transaction(async (tx) => {
      const webhook = await requireWebhookForUpdate(tx, principal, params.webhook_id);
      return toWebhook(webhook.disabled_at === null ? webhook : await enableRow(tx, webhook.id));
    }),
  );
  mount(app, webhookRoutes.disable, ({ principal, db }, { params }) =>
    db.transaction(async (tx) => {
      const webhook = await requireWebhookForUpdate(tx, principal, params.webhook_id);
      return toWebhook(webhook.disabled_at === null ? await disableRow(tx, webhook.id) : webhook);
    }),
  );
  mount(app, webhookRoutes.test, async ({ principal, db }, { params }) => {
    const { id } = await requireWebhook(db.read, principal, params.webhook_id);
    const signing = await readSigning(db.read, id);
    const event = { event_id: newUuid(), event_type: WEBHOOK_TEST, object_id: id, details: {} };
    const { ok, message } = await sendEvent({ ...deps, db }, { ...signing, ...event });
    return { ok, message };
  });
  mount(app, webhookRoutes.rotateSecret, async ({ principal, db }, { params }) => {
    const { row, secret } = await rotateSecret(db, secrets, principal, params.webhook_id);
    return { ...toWebhook(row), secret };
  });
  mount(app, webhookRoutes.deliveries, async (request, input) => {
    const { db, principal } = request;
    const webhook = await requireWebhook(db.read, principal, input.params.webhook_id);
    const isEnabled = webhook.disabled_at === null;
    return await listPage(
      request,
      input,
      "webhook_delivery",
      (row: DeliveryRow) => toDelivery(row, isEnabled),
      (range) => listDeliveries(db.read, webhook.id, range, input.query),
    );
  });
  mount(app, webhookRoutes.redeliver, async ({ principal, db }, input) =>
    toDelivery(await redeliver(db, principal, input), true),
  );
}
