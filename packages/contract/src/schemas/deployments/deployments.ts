import { z } from "zod";
import { budget } from "../../conventions/budgets.ts";
import {
  environmentVariables,
  idOf,
  metadata,
  metadataPatch,
  referenceTo,
  text,
  timestamp,
} from "../../conventions/fields.ts";
import { flag, listQuery, pageOf } from "../../conventions/page.ts";
import { sharedOwner, sharedWithMe, visibilityInput } from "../../conventions/sharing.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";
import { sharingRoutes } from "../../operations/sharing-routes.ts";
import { initialEvents } from "../events/input-events.ts";
import { followBounds, followInput } from "../sessions/follow.ts";
import { agentReference, vaultIds } from "../sessions/references.ts";
import { checkout } from "../sessions/repositories.ts";
import { resourceInput } from "../sessions/session-resources.ts";
import { deploymentRun, runErrorType, runFilters } from "./deployment-runs.ts";
import { schedule, scheduleInput } from "./schedules.ts";

const repository = {
  url: z.string(),
  mount_path: z.string().nullable().meta({ description: "Null: the session's default." }),
  checkout: checkout.nullable(),
  connection_id: idOf("connection").nullable(),
  access: z.enum(["read_write", "read_only"]).nullable(),
  environment: z.strictObject({ from: z.literal("devcontainer") }).nullable(),
};

/** A resource of a deployment, as it was given, without its token or password. */
export const deploymentResource = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("hosted_repository"), ...repository }),
    z.strictObject({ type: z.literal("git_repository"), ...repository, username: z.string().nullable() }),
    z.strictObject({ type: z.literal("file"), file_id: idOf("file"), mount_path: z.string().nullable() }),
    z.strictObject({
      type: z.literal("memory_store"),
      memory_store_id: idOf("memory_store"),
      access: z.enum(["read_write", "read_only"]),
      instructions: z.string().nullable(),
    }),
    z.strictObject({ type: z.literal("vault"), vault_id: idOf("vault") }),
  ])
  .meta({ id: "DeploymentResource" });
export type DeploymentResource = z.output<typeof deploymentResource>;

const pausedReason = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("manual") }),
    z.strictObject({ type: z.literal("error"), error: z.strictObject({ type: runErrorType }) }),
  ])
  .nullable()
  .meta({
    description:
      "`error`: five runs in a row could not create a session, for reasons that time does not heal, or the user or service account that it acts as is disabled. Null while it is active.",
  });
export type PausedReason = z.output<typeof pausedReason>;

/** What sessions are created from again and again: by a schedule, or when somebody asks. */
export const deployment = z
  .strictObject({
    id: idOf("deployment"),
    type: z.literal("deployment"),
    name: z.string(),
    description: z.string().nullable(),
    agent: z.strictObject({
      id: idOf("agent"),
      type: z.literal("agent"),
      version: z.int().nullable().meta({ description: "Null: the newest at each run." }),
    }),
    environment_id: idOf("environment"),
    initial_events: initialEvents,
    resources: z.array(deploymentResource),
    vault_ids: z.array(idOf("vault")),
    environment_variables: z.record(z.string(), z.string()),
    budget: budget.nullable().meta({ description: "What each session may cost. Null for no limit." }),
    follow: followBounds
      .nullable()
      .meta({ description: "How each session follows its pull request. Null for not at all." }),
    schedule: schedule.nullable(),
    status: z.enum(["active", "paused"]),
    paused_reason: pausedReason,
    metadata,
    ...sharedOwner,
    archived_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Deployment" });
export type Deployment = z.output<typeof deployment>;

const STARTS_NOTHING = "Field '{field}' must have a 'user.message'.";

const fields = {
  agent: agentReference.meta({
    description: "An id stands for the newest version at each run; with a `version`, it is always this one.",
  }),
  environment_id: referenceTo("environment"),
  initial_events: initialEvents
    .min(1)
    .refine((events) => events.some(({ type }) => type === "user.message"), STARTS_NOTHING)
    .meta({ description: "The events that each session starts with." }),
};

const options = {
  description: text(0, 2048).nullish(),
  resources: z.array(resourceInput).max(500).nullish().meta({
    description:
      "The resources of each session. Tokens and passwords are kept sealed and never returned; a new list replaces them, too.",
  }),
  vault_ids: vaultIds.nullish(),
  environment_variables: environmentVariables.nullish(),
  budget: budget.nullish().meta({ description: "What each session may cost, as the `budget` of a session." }),
  follow: followInput.nullish().meta({
    description: "How each session follows its pull request, as the `follow` of a session. Null: not at all.",
  }),
  schedule: scheduleInput.nullish().meta({ description: "Null: it only runs when somebody asks." }),
};

const params = z.strictObject({ deployment_id: z.string() });
const { deployments: verbs } = operations;

export const deploymentRoutes = {
  create: defineRoute(verbs.create, {
    body: z.strictObject({
      name: text(1, 256),
      ...fields,
      ...options,
      metadata: metadata.nullish(),
      visibility: visibilityInput,
    }),
    response: deployment,
  }),
  list: defineRoute(verbs.list, {
    query: listQuery("deployment", { include_archived: flag, shared_with_me: sharedWithMe }),
    response: pageOf(deployment),
  }),
  get: defineRoute(verbs.get, { params, response: deployment }),
  update: defineRoute(verbs.update, {
    params,
    body: z.strictObject({
      name: text(1, 256).optional(),
      agent: fields.agent.optional(),
      environment_id: fields.environment_id.optional(),
      initial_events: fields.initial_events.optional(),
      ...options,
      metadata: metadataPatch.nullish(),
    }),
    response: deployment,
  }),
  ...sharingRoutes(verbs, params),
  pause: defineRoute(verbs.pause, { params, response: deployment }),
  unpause: defineRoute(verbs.unpause, { params, response: deployment }),
  run: defineRoute(verbs.run, { params, response: deploymentRun }),
  archive: defineRoute(verbs.archive, { params, response: deployment }),
  runs: defineRoute(verbs.runs, {
    params,
    query: listQuery("deployment_run", runFilters),
    response: pageOf(deploymentRun),
  }),
};
