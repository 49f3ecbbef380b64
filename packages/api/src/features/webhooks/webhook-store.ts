import { formatId, MAX_WEBHOOKS, uuidTimestamp, type Webhook, type WebhookFormat } from "@berth/contract";
import {
  type Owner,
  ownerBranches,
  type Principal,
  requireAccess,
  requireMayChange,
} from "@berth/store/access";
import { type KeysetRange, type Queryable, selectKeyset } from "@berth/store/db";
import { errors } from "@berth/store/errors";

export interface WebhookRow extends Owner {
  id: string;
  name: string | null;
  description: string | null;
  format: WebhookFormat;
  url: string | null;
  recipient_ids: string[];
  /** Addresses of the recipients who are members and not disabled. */
  recipients: string[];
  enabled_events: string[];
  /** Sealed: the key that signs, or the address for Slack; null for email. */
  secret: Buffer | null;
  disabled_at: Date | null;
  disabled_reason: Webhook["disabled_reason"];
  updated_at: Date;
}

const COLUMNS = `id, organization_id, owner_type, owner_id, name, description, format, url, recipient_ids,
  array_remove(array(select (select email from users where users.id = recipient.id
      and users.organization_id = webhooks.organization_id and users.disabled_at is null)
    from unnest(recipient_ids) as recipient (id) order by 1), null) as recipients,
  enabled_events, secret, disabled_at, disabled_reason, updated_at`;

/** The fields of a webhook that a request gives. */
export type WebhookFields = Pick<
  WebhookRow,
  "name" | "description" | "url" | "recipient_ids" | "enabled_events" | "secret"
>;

/** Stores a webhook. @throws errors.tooManyWebhooks */
export async function insertWebhook(
  tx: Queryable,
  webhook: Owner & { id: string; format: WebhookFormat } & WebhookFields,
): Promise<WebhookRow> {
  await tx.query({
    name: "lock_webhooks",
    text: "select pg_advisory_xact_lock(hashtextextended('webhooks ' || $1, 0))",
    values: [webhook.owner_id],
  });
  const { rows } = await tx.query<WebhookRow>({
    name: "insert_webhook",
    text: `
      insert into webhooks (id, organization_id, owner_type, owner_id, name, description, format, url, recipient_ids,
        enabled_events, secret)
      select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
      where (select count(*) from webhooks where owner_id = $4) < ${MAX_WEBHOOKS}
      returning ${COLUMNS}`,
    values: [
      ...[webhook.id, webhook.organization_id, webhook.owner_type, webhook.owner_id, webhook.name],
      ...[webhook.description, webhook.format, webhook.url, webhook.recipient_ids, webhook.enabled_events],
      webhook.secret,
    ],
  });
  const [row] = rows;
  if (row === undefined) throw errors.tooManyWebhooks();
  return row;
}

async function getWebhook(db: Queryable, id: string): Promise<WebhookRow | null> {
  const text = `select ${COLUMNS} from webhooks where id = $1`;
  return (await db.query<WebhookRow>({ name: "get_webhook", text, values: [id] })).rows[0] ?? null;
}

async function lockWebhook(tx: Queryable, id: string): Promise<WebhookRow | null> {
  const text = `select ${COLUMNS} from webhooks where id = $1 for update`;
  return (await tx.query<WebhookRow>({ name: "lock_webhook", text, values: [id] })).rows[0] ?? null;
}

/** @throws errors.notFound, errors.notYours */
export const requireWebhook = requireAccess("webhook", getWebhook);

/**
 * Returns the same as `requireWebhook` for whoever may change or delete the webhook, and locks it until
 * the transaction ends.
 *
 * @throws errors.adminsOnly for one of the organization, by a user who is no admin
 */
export const requireWebhookForUpdate = requireMayChange(
  "webhook",
  getWebhook,
  lockWebhook,
  "change a webhook of the organization",
);

export async function listWebhooks(
  db: Queryable,
  principal: Principal,
  range: KeysetRange,
): Promise<WebhookRow[]> {
  const listing = { table: "webhooks", columns: COLUMNS };
  return await selectKeyset<WebhookRow>(db, range, listing, ownerBranches(principal));
}

/** Stores the fields of a locked webhook that an update may change. */
export async function storeWebhook(tx: Queryable, id: string, fields: WebhookFields): Promise<WebhookRow> {
  const { name, description, url, recipient_ids, enabled_events, secret } = fields;
  return await changed(tx, {
    name: "store_webhook",
    set: "name = $2, description = $3, url = $4, recipient_ids = $5, enabled_events = $6, secret = $7",
    values: [id, name, description, url, recipient_ids, enabled_events, secret],
  });
}

/** Stores a new key of a locked webhook. The one before signs as well for 24 hours. */
export async function storeSecret(
  tx: Queryable,
  id: string,
  { secret, former }: { secret: Buffer; former: Buffer },
): Promise<WebhookRow> {
  return await changed(tx, {
    name: "rotate_webhook_secret",
    set: "secret = $2, former_secret = $3, former_secret_until = now() + interval '24 hours'",
    values: [id, secret, former],
  });
}

/** Enables a locked webhook. What is pending is due at once. */
export async function enableRow(tx: Queryable, id: string): Promise<WebhookRow> {
  await tx.query({
    name: "resume_deliveries",
    text: "update webhook_deliveries set due_at = now() where webhook_id = $1 and due_at > now()",
    values: [id],
  });
  const set = "disabled_at = null, disabled_reason = null, failures = 0";
  return await changed(tx, { name: "enable_webhook", set, values: [id] });
}

export async function disableRow(tx: Queryable, id: string): Promise<WebhookRow> {
  const set = "disabled_at = now(), disabled_reason = 'manual'";
  return await changed(tx, { name: "disable_webhook", set, values: [id] });
}

async function changed(
  tx: Queryable,
  { name, set, values }: { name: string; set: string; values: unknown[] },
): Promise<WebhookRow> {
  const text = `update webhooks set ${set}, updated_at = now() where id = $1 returning ${COLUMNS}`;
  const [row] = (await tx.query<WebhookRow>({ name, text, values })).rows;
  if (row === undefined) throw new Error("A webhook is missing although its row is locked.");
  return row;
}

/** Deletes a locked webhook with its deliveries. */
export async function deleteRow(tx: Queryable, id: string): Promise<void> {
  await tx.query({ name: "delete_webhook", text: "delete from webhooks where id = $1", values: [id] });
  const text = "delete from webhook_deliveries where webhook_id = $1";
  await tx.query({ name: "delete_webhook_deliveries", text, values: [id] });
}

/** Returns the ids of members who are not disabled, by their addresses in lower case. */
export async function membersByEmail(
  db: Queryable,
  organizationId: string,
  emails: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ id: string; email: string }>({
    name: "members_by_email",
    text: `select id, lower(email collate "C") as email from users
      where organization_id = $1 and lower(email collate "C") = any($2::text[]) and disabled_at is null`,
    values: [organizationId, emails],
  });
  return new Map(rows.map(({ id, email }) => [email, id]));
}

/** Returns a webhook without its secret. */
export function toWebhook(row: WebhookRow): Webhook {
  return {
    id: formatId("webhook", row.id),
    type: "webhook",
    name: row.name,
    description: row.description,
    format: row.format,
    url: row.url,
    recipients: row.recipients,
    enabled_events: row.enabled_events,
    state: row.disabled_at === null ? "enabled" : "disabled",
    disabled_reason: row.disabled_reason,
    owner_type: row.owner_type,
    owner_id: formatId(row.owner_type, row.owner_id),
    created_at: uuidTimestamp(row.id),
    updated_at: row.updated_at.toISOString(),
  };
}
