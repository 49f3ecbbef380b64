import { z } from "zod";
import { idOf, referenceTo, text, timestamp } from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { crud, defineRoute } from "../../operations/route.ts";

/** Whose deliveries a trigger takes. Forgejo sends those of Gitea. */
export const TRIGGER_SOURCES = [
  "github",
  "gitlab",
  "gitea",
  "bitbucket",
  "linear",
  "jira",
  "slack",
  "signed",
] as const;
export type TriggerSource = (typeof TRIGGER_SOURCES)[number];

/** The most triggers of a deployment. */
export const MAX_TRIGGERS = 32;

const TYPE =
  "Whose deliveries it takes, each with the signature that the sender has. `gitea` is also Forgejo. `signed` is anybody who signs as Standard Webhooks say.";

const type = z.enum(TRIGGER_SOURCES).meta({ description: TYPE });

const filter = z
  .strictObject({
    events: z.array(text(1, 128)).max(50).optional().meta({
      description:
        "Further events that start a session, by the sender's names, such as `push` or `workflow_run.completed`. For `signed`: the `type` of the body; absent for all.",
    }),
    match: z
      .record(text(1, 256), z.union([z.string().max(1024), z.number(), z.boolean(), z.null()]))
      .refine((pairs) => Object.keys(pairs).length <= 20, "Field '{field}' must have at most 20 pairs.")
      .optional()
      .meta({
        description:
          "What the body must have, by path, such as `repository.full_name`. What differs is ignored. Null also stands for what is absent.",
      }),
  })
  .meta({ id: "TriggerFilter" });
export type TriggerFilter = z.output<typeof filter>;

const oneLine = (maximum: number) =>
  text(1, maximum).regex(/^[^\u0000-\u001f\u007f]*$/, {
    error: "Field '{field}' must not contain control characters.",
  });

const ALLOWED =
  "Who may ask besides those whom the host lets write to the repository, by the sender's ids, login names of git hosts, or emails at Linear; not by names that anybody may choose. The only ones without a `connection_id`; an empty list then says that nobody may.";
const LABEL =
  "The label of an issue or a pull request that starts a session. Null: none does. Default: `berth`.";
const MENTION =
  "How a comment begins, or what it contains as a word, to start a session. Null: none does. Default: `@berth`.";

/** What makes a deployment run when something happens elsewhere. */
export const trigger = z
  .strictObject({
    id: idOf("trigger"),
    type,
    deployment_id: idOf("deployment"),
    name: z.string().nullable(),
    url: z.string().nullable().meta({
      description: "Where the sender sends to. Null if the service does not know its own address.",
    }),
    filter,
    connection_id: idOf("connection").nullable(),
    site_url: z.string().nullable(),
    has_token: z.boolean().meta({ description: "Whether it has a `token` by which it answers." }),
    allowed_users: z.array(z.string()).meta({ description: ALLOWED }),
    label: z.string().nullable().meta({ description: LABEL }),
    mention: z.string().nullable().meta({ description: MENTION }),
    max_runs_per_hour: z.int(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Trigger" });
export type Trigger = z.output<typeof trigger>;

/** A trigger with the secret by which its sender signs, which no other response has. */
export const triggerWithSecret = trigger
  .extend({
    secret: z.string().meta({ description: "The secret by which the sender signs. Returned only here." }),
  })
  .meta({ id: "TriggerWithSecret" });
export type TriggerWithSecret = z.output<typeof triggerWithSecret>;

export const DELIVERY_STATES = ["pending", "started", "continued", "ignored", "refused", "failed"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

const STATES =
  "`started`: it created a session. `continued`: it became a message of the session of its thread. `ignored`: it is not for Berth, or its author may not ask. `refused`: the limit of the hour was reached. `failed`: no session could be created, or it took no message.";

/** What a sender delivered, and what became of it. */
export const triggerDelivery = z
  .strictObject({
    id: idOf("trigger_delivery"),
    type: z.literal("trigger_delivery"),
    trigger_id: idOf("trigger"),
    delivery_id: z.string().meta({ description: "The sender's own id of it." }),
    event: z.string().meta({ description: "The sender's name of the event." }),
    author: z.string().nullable().meta({ description: "Who asked, by the sender's name." }),
    status: z.enum(DELIVERY_STATES).meta({ description: STATES }),
    reason: z
      .string()
      .nullable()
      .meta({ description: "Why it was ignored, refused, or failed, in one sentence." }),
    session_id: idOf("session").nullable(),
    answer_error: z.string().nullable().meta({
      description: "Why Berth could not answer where it was asked, in one sentence.",
    }),
    created_at: timestamp,
  })
  .meta({ id: "TriggerDelivery" });
export type TriggerDelivery = z.output<typeof triggerDelivery>;

const secret = oneLine(512).min(16).meta({
  writeOnly: true,
  description:
    "The secret by which the sender signs: the signing secret of a Slack app, of a webhook of Linear, or one of your own. For `signed`: `whsec_` and base64. Default: a new one.",
});
const token = oneLine(4096).meta({
  writeOnly: true,
  description:
    "By which it answers at Slack (a bot's token), Linear (an API key) or Jira (`<email>:<API token>` of its cloud, else a personal access token). Never returned.",
});
const siteUrl = z
  .string()
  .max(2048)
  .overwrite((url) => url.replace(/\/+$/, ""))
  .regex(/^https?:\/\/[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9][0-9]{0,4})?(\/[A-Za-z0-9_.~-]+)*$/, {
    error: "Field '{field}' must be an https URL without credentials, query or fragment.",
  });

const fields = {
  name: text(1, 255).nullish(),
  filter: filter.optional(),
  connection_id: referenceTo("connection").nullish().meta({
    description:
      "The connection to the git host: by it Berth asks who may write to the repository, clones it, and answers there. The deployment's owner must be able to use it.",
  }),
  site_url: siteUrl.nullish().meta({ description: "For `jira`: the address of its site, where it answers." }),
  allowed_users: z.array(oneLine(255)).max(200).optional().meta({ description: ALLOWED }),
  label: oneLine(100).nullish().meta({ description: LABEL }),
  mention: text(1, 100)
    .regex(/^\S+$/, { error: "Field '{field}' must be one word." })
    .nullish()
    .meta({ description: MENTION }),
  max_runs_per_hour: z.int().min(1).max(10_000).optional().meta({
    description:
      "Deliveries an hour that start or continue a session. Further ones are answered with 429. Default: 60.",
  }),
  secret: secret.optional(),
  token: token.nullish(),
};

const params = z.strictObject({ deployment_id: z.string(), trigger_id: z.string() });
const within = z.strictObject({ deployment_id: z.string() });

const { create, ...rest } = crud(operations.deploymentTriggers, {
  kind: "trigger",
  object: trigger,
  params,
  within,
  list: listQuery("trigger", {}),
  create: z.strictObject({ type, ...fields }),
  update: z.strictObject(fields),
});

export const triggerRoutes = {
  create: defineRoute(operations.deploymentTriggers.create, {
    ...{ params: within, body: create.body, response: triggerWithSecret },
  }),
  ...rest,
  deliveries: defineRoute(operations.deploymentTriggers.deliveries, {
    params,
    query: listQuery("trigger_delivery", { status: z.enum(DELIVERY_STATES).optional() }),
    response: pageOf(triggerDelivery),
  }),
};
