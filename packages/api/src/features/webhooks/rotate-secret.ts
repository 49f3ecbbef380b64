import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { formerWebhookSecret, type SecretBox, webhookSecret } from "@berth/store/secrets";
import { newSecret } from "./create-webhook.ts";
import { requireWebhookForUpdate, storeSecret, type WebhookRow } from "./webhook-store.ts";

/** Replaces the key of a webhook. @throws errors.signsNothing */
export async function rotateSecret(
  db: DatabaseAccess,
  secrets: SecretBox,
  principal: Principal,
  webhookId: string,
): Promise<{ row: WebhookRow; secret: string }> {
  return await db.transaction(async (tx) => {
    const { id, format, secret: sealed } = await requireWebhookForUpdate(tx, principal, webhookId);
    if (format !== "standard" || sealed === null) throw errors.signsNothing(webhookId, format);
    const secret = newSecret();
    const former = secrets.seal(formerWebhookSecret(id), secrets.open(webhookSecret(id), sealed));
    return {
      row: await storeSecret(tx, id, { secret: secrets.seal(webhookSecret(id), secret), former }),
      secret,
    };
  });
}
