import type { Input, webhookRoutes } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { targetOf, type WebhookDeps } from "./create-webhook.ts";
import { requireWebhookForUpdate, storeWebhook, type WebhookRow } from "./webhook-store.ts";

/** Updates a webhook. @throws what `createWebhook` throws for its fields */
export async function updateWebhook(
  db: DatabaseAccess,
  deps: WebhookDeps,
  principal: Principal,
  { params, body }: Input<typeof webhookRoutes.update>,
): Promise<WebhookRow> {
  return await db.transaction(async (tx) => {
    const webhook = await requireWebhookForUpdate(tx, principal, params.webhook_id);
    const { id, format } = webhook;
    const { url, recipients, name, description, enabled_events } = body;
    const given = { url, recipients };
    const isTargetGiven = url !== undefined || recipients !== undefined;
    return await storeWebhook(tx, id, {
      ...webhook,
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...(enabled_events === undefined ? {} : { enabled_events }),
      ...(isTargetGiven ? await targetOf(tx, deps, { id, format, principal, given }) : {}),
    });
  });
}
