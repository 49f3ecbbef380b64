import { randomBytes } from "node:crypto";
import { type Input, newUuid, type WebhookFormat, type webhookRoutes } from "@berth/contract";
import { ownerAskedFor, type Principal } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { type SecretBox, webhookSecret } from "@berth/store/secrets";
import { requireReachable } from "../../request/reachable-url.ts";
import { insertWebhook, membersByEmail, type WebhookFields, type WebhookRow } from "./webhook-store.ts";

export interface WebhookDeps {
  secrets: SecretBox;
  /** Hosts and networks with private addresses that may be reached, also over plain HTTP. */
  egressAllowPrivate: readonly string[];
  /** Whether the installation has a relay for mail. */
  sendsMail: boolean;
}

type Body = Input<typeof webhookRoutes.create>["body"];

/**
 * Stores a webhook. Returns it with its key, which is null unless it signs.
 *
 * @throws errors.invalid for a field that the format lacks or does not have, or a recipient who is no member;
 *   errors.httpNotAllowed, errors.privateAddress, errors.noMailRelay, errors.tooManyWebhooks; errors.adminsOnly
 *   for one of the organization by a user who is no admin
 */
export async function createWebhook(
  tx: Queryable,
  deps: WebhookDeps,
  principal: Principal,
  body: Body,
): Promise<{ row: WebhookRow; secret: string | null }> {
  const { format = "standard", name = null, description = null, enabled_events } = body;
  if (format === "email" && !deps.sendsMail) throw errors.noMailRelay();
  const id = newUuid();
  const owner = ownerAskedFor(principal, body.owner_type, "create a webhook of the organization");
  const secret = format === "standard" ? newSecret() : null;
  const given: Target["given"] = {
    url: body.url ?? undefined,
    recipients: body.recipients ?? (owner.owner_type === "user" && format === "email" ? "self" : undefined),
  };
  const target = await targetOf(tx, deps, { id, format, principal, given });
  const row = await insertWebhook(tx, {
    ...{ id, ...owner, format, name, description, enabled_events },
    ...{ url: null, recipient_ids: [], ...target },
    secret: secret === null ? (target.secret ?? null) : deps.secrets.seal(webhookSecret(id), secret),
  });
  return { row, secret };
}

/** Returns a new key that signs: 32 random bytes in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

interface Target {
  id: string;
  format: WebhookFormat;
  principal: Principal;
  /** `self` is the user who asks. */
  given: { url?: string | undefined; recipients?: readonly string[] | "self" | undefined };
}

/** Returns the columns in which the given address or recipients of a webhook are stored. */
export async function targetOf(
  db: Queryable,
  { secrets, egressAllowPrivate }: WebhookDeps,
  { id, format, principal, given: { url, recipients } }: Target,
): Promise<Partial<Pick<WebhookFields, "url" | "recipient_ids" | "secret">>> {
  const isMail = format === "email";
  if (isMail && url !== undefined) throw errors.invalid("Field 'url' is not for the format 'email'.", "url");
  if (!isMail && recipients !== undefined)
    throw errors.invalid(`Field 'recipients' is not for the format '${format}'.`, "recipients");
  if (isMail) {
    if (recipients === undefined || recipients.length === 0)
      throw errors.invalid("Field 'recipients' is required.", "recipients");
    if (recipients === "self") return { recipient_ids: [principal.id] };
    return { recipient_ids: await requireMembers(db, principal.organizationId, recipients) };
  }
  if (url === undefined) throw errors.invalid("Field 'url' is required.", "url");
  const parsed = requireReachable(egressAllowPrivate, "url", url);
  if (format === "standard") return { url };
  return { url: `${parsed.origin}/…`, secret: secrets.seal(webhookSecret(id), url) };
}

/** @throws errors.noSuchMember */
async function requireMembers(
  db: Queryable,
  organizationId: string,
  recipients: readonly string[],
): Promise<string[]> {
  const emails = recipients.map((email) => email.toLowerCase());
  const members = await membersByEmail(db, organizationId, emails);
  const ids = emails.map((email, at) => {
    const id = members.get(email);
    if (id === undefined) throw errors.noSuchMember(`recipients[${at}]`, recipients[at] ?? "");
    return id;
  });
  return [...new Set(ids)];
}
