import { z } from "zod";
import { idOf, owner, text, timestamp } from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { crud, defineRoute } from "../../operations/route.ts";
import { WEBHOOK_EVENTS, WEBHOOK_TEST } from "../../operations/webhook-events.ts";

export const MAX_WEBHOOKS = 32;
/** Seconds within which a receiver has to answer. */
export const WEBHOOK_TIMEOUT_SECONDS = 15;
/** Events in a row that a receiver misses before its webhook is disabled. */
export const MAX_WEBHOOK_FAILURES = 20;

const nouns = [...new Set(WEBHOOK_EVENTS.map((event) => event.slice(0, event.indexOf("."))))];
const ENABLED = [...WEBHOOK_EVENTS, ...nouns.map((noun) => `${noun}.*`), "*"];

const url = text(1, 2048)
  .regex(/^https?:\/\/[^\s/?#@\\]+([/?][^\s#\\]*)?$/, {
    error: "Field '{field}' must be an https URL without credentials or a fragment.",
  })
  .meta({
    description:
      "Where requests are sent. https; http, and hosts with private addresses, only where the operator allows the host. For `slack`, the address of an incoming webhook, which is a secret: `url` then shows its host alone.",
    examples: ["https://hooks.example.com/berth"],
  });

const enabledEvents = z
  .array(z.enum(ENABLED))
  .min(1)
  .max(100)
  .meta({ description: "Types of events, `<noun>.*` for all of a noun, or `*` for all." });

const recipients = z.array(z.string().max(320)).max(20).meta({
  description:
    "For `email`: the addresses of members of the organization. Who has left it gets none. Default: the user's own.",
});

const FORMAT =
  "`standard`: JSON, signed as Standard Webhooks say. `slack`: a message with a link, for an incoming webhook of Slack. `email`: such a message as mail, if the installation has a relay for it.";
const format = z.enum(["standard", "slack", "email"]);
export type WebhookFormat = z.output<typeof format>;

const DISABLED =
  "`manual`: somebody disabled it. `gone`: the receiver answered 410. `failing`: 20 events in a row were not delivered.";

const fields = {
  id: idOf("webhook"),
  type: z.literal("webhook"),
  name: z.string().nullable(),
  description: z.string().nullable(),
  format: format.meta({ description: FORMAT }),
  url: z.string().nullable().meta({ description: "Null for `email`. For `slack`, its host alone." }),
  recipients: z.array(z.string()),
  enabled_events: z.array(z.string()),
  state: z.enum(["enabled", "disabled"]),
  disabled_reason: z.enum(["manual", "gone", "failing"]).nullable().meta({ description: DISABLED }),
  ...owner,
  created_at: timestamp,
  updated_at: timestamp,
};

/** An address that is told of events. */
export const webhook = z.strictObject(fields).meta({ id: "Webhook" });
export type Webhook = z.output<typeof webhook>;

/** A webhook with the key that signs, which no other response has. */
export const webhookWithSecret = z
  .strictObject({
    ...fields,
    secret: z.string().nullable().meta({
      description:
        "The key that signs the requests, `whsec_` and base64. Returned only here. Null unless `format` is `standard`.",
    }),
  })
  .meta({ id: "WebhookWithSecret" });
export type WebhookWithSecret = z.output<typeof webhookWithSecret>;

/** An event that a webhook was told of, or is to be. */
export const webhookDelivery = z
  .strictObject({
    id: idOf("webhook_delivery"),
    type: z.literal("webhook_delivery"),
    webhook_id: idOf("webhook"),
    event_id: idOf("event").meta({ description: "`id` of the event, and the header `webhook-id`." }),
    event_type: z.string(),
    object_id: z.string().meta({ description: "`data.id` of the event." }),
    status: z.enum(["pending", "delivered", "failed"]).meta({
      description: "`pending` also between two tries, and while the webhook is disabled.",
    }),
    attempts: z.int().meta({ description: "How many times it was tried." }),
    response_status: z.int().nullable().meta({ description: "What the receiver last answered." }),
    error: z.string().nullable().meta({ description: "Why the last try failed, in one sentence." }),
    last_attempt_at: timestamp.nullable(),
    next_attempt_at: timestamp.nullable(),
    created_at: timestamp.meta({ description: "When it happened." }),
  })
  .meta({ id: "WebhookDelivery" });
export type WebhookDelivery = z.output<typeof webhookDelivery>;

/** What a receiver gets: what happened to which object, to be read by its id. */
export const webhookEvent = z
  .strictObject({
    type: z.literal("event"),
    id: idOf("event").meta({ description: "The same in each try, and at all webhooks." }),
    created_at: timestamp,
    data: z.strictObject({
      type: z.enum([...WEBHOOK_EVENTS, WEBHOOK_TEST]),
      id: z.string().meta({ description: "The object's; of a pull request its session's." }),
      organization_id: idOf("organization"),
      vault_id: idOf("vault").optional().meta({ description: "The vault of a credential." }),
      deployment_id: idOf("deployment").optional().meta({ description: "The deployment of a run." }),
      resource_id: idOf("session_resource").optional().meta({
        description: "The repository of a pull request, among the session's resources.",
      }),
      number: z.int().optional().meta({ description: "The pull request's number at its host." }),
    }),
  })
  .meta({ id: "WebhookEvent" });
export type WebhookEvent = z.output<typeof webhookEvent>;

const params = z.strictObject({ webhook_id: z.string() });
const name = text(1, 255);
const description = text(1, 2048);

const { create, ...rest } = crud(operations.webhooks, {
  kind: "webhook",
  object: webhook,
  params,
  list: listQuery("webhook", {}),
  create: z.strictObject({
    name: name.nullish(),
    description: description.nullish(),
    format: format.optional().meta({ description: `${FORMAT} Default: \`standard\`.` }),
    url: url.nullish(),
    recipients: recipients.optional(),
    enabled_events: enabledEvents,
    owner_type: owner.owner_type.nullish().meta({
      description:
        "`user`: it hears of what the user owns. `organization`: of what all members see; only its admins, and its service accounts, can make, change and delete one. Default: `user`, and with a service account's token always `organization`.",
    }),
  }),
  update: z.strictObject({
    name: name.nullish(),
    description: description.nullish(),
    url: url.optional(),
    recipients: recipients.min(1).optional(),
    enabled_events: enabledEvents.optional(),
  }),
});

export const webhookRoutes = {
  create: defineRoute(operations.webhooks.create, { body: create.body, response: webhookWithSecret }),
  ...rest,
  enable: defineRoute(operations.webhooks.enable, { params, response: webhook }),
  disable: defineRoute(operations.webhooks.disable, { params, response: webhook }),
  test: defineRoute(operations.webhooks.test, {
    params,
    response: z.strictObject({
      ok: z.boolean(),
      message: z
        .string()
        .meta({ description: "One sentence: what the receiver answered, or what is wrong." }),
    }),
  }),
  rotateSecret: defineRoute(operations.webhooks.rotateSecret, { params, response: webhookWithSecret }),
  deliveries: defineRoute(operations.webhooks.deliveries, {
    params,
    query: listQuery("webhook_delivery", {
      status: z.enum(["pending", "delivered", "failed"]).optional(),
      event_type: z.enum(WEBHOOK_EVENTS).optional(),
    }),
    response: pageOf(webhookDelivery),
  }),
  redeliver: defineRoute(operations.webhooks.redeliver, {
    params: z.strictObject({ webhook_id: z.string(), delivery_id: z.string() }),
    response: webhookDelivery,
  }),
};
