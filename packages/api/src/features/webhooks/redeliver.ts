import type { Input, webhookRoutes } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { type DeliveryRow, requireDelivery, resetDelivery } from "./delivery/delivery-store.ts";
import { requireWebhookForUpdate } from "./webhook-store.ts";

/** Makes a delivery due, with all its tries. @throws errors.webhookDisabled */
export async function redeliver(
  db: DatabaseAccess,
  principal: Principal,
  { params }: Input<typeof webhookRoutes.redeliver>,
): Promise<DeliveryRow> {
  return await db.transaction(async (tx) => {
    const webhook = await requireWebhookForUpdate(tx, principal, params.webhook_id);
    const { id } = await requireDelivery(tx, webhook.id, params.delivery_id);
    if (webhook.disabled_at !== null) throw errors.webhookDisabled(params.webhook_id);
    return await resetDelivery(tx, id);
  });
}
