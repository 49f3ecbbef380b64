import { z } from "zod";
import { idOf, timestamp } from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";
import { TRIGGER_SOURCES } from "./triggers.ts";

export const TRIGGER_TYPES = ["schedule", "manual", "event"] as const;
export type TriggerType = (typeof TRIGGER_TYPES)[number];

/** Errors of runs that time does not heal: five in a row pause the deployment. */
export const LASTING_RUN_ERRORS = [
  "agent_not_found_error",
  "agent_archived_error",
  "environment_not_found_error",
  "environment_archived_error",
  "vault_not_found_error",
  "vault_archived_error",
  "file_not_found_error",
  "memory_store_not_found_error",
  "memory_store_archived_error",
  "skill_not_found_error",
  "connection_not_found_error",
  "owner_disabled_error",
  "session_creation_rejected_error",
] as const;

export const RUN_ERRORS = [
  ...LASTING_RUN_ERRORS,
  "session_rate_limited_error",
  "unknown_error",
  "missed",
] as const;
export type RunError = (typeof RUN_ERRORS)[number];

export const runErrorType = z.enum(RUN_ERRORS).meta({
  description:
    "`…_not_found_error`: it is gone, or its owner may not use it any more. `…_archived_error`: it is archived. `owner_disabled_error`: the user or service account that it acts as is disabled or gone. `session_rate_limited_error`: a limit of the owner was reached. `session_creation_rejected_error`: the session was rejected for another reason, which the message says. `missed`: no service began it within a minute of its time. `unknown_error`: the service failed.",
});

export const triggerContext = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("schedule"),
    scheduled_at: timestamp.meta({ description: "The time of the schedule for which it ran." }),
  }),
  z.strictObject({ type: z.literal("manual") }),
  z.strictObject({
    type: z.literal("event"),
    source: z.enum(TRIGGER_SOURCES),
    delivery_id: z.string().meta({ description: "The sender's id of what it delivered to a trigger." }),
  }),
]);
export type TriggerContext = z.output<typeof triggerContext>;

export const deploymentRun = z
  .strictObject({
    id: idOf("deployment_run"),
    type: z.literal("deployment_run"),
    deployment_id: idOf("deployment"),
    agent: z.strictObject({
      id: idOf("agent"),
      version: z.int().nullable().meta({
        description:
          "The version that the session has. Null if no session was created and the newest was asked for.",
      }),
    }),
    session_id: idOf("session").nullable().meta({
      description: "The session that it created, which may have been deleted since. Null with an `error`.",
    }),
    error: z
      .strictObject({ type: runErrorType, message: z.string().meta({ description: "One sentence." }) })
      .nullable()
      .meta({ description: "Why no session was created. How the session's turns end is not said here." }),
    succeeded_at: timestamp.nullable().meta({
      description:
        "When the session first became idle with the stop reason `end_turn`: its agent was done. A turn that waits for a client, failed, was interrupted or reached a limit does not count, but a later one may. Null before that, and with an `error`; it stays when the session goes on.",
    }),
    trigger_context: triggerContext,
    created_at: timestamp,
  })
  .meta({ id: "DeploymentRun" });
export type DeploymentRun = z.output<typeof deploymentRun>;

/** Filters of lists of runs. */
export const runFilters = {
  has_error: z
    .enum(["true", "false"])
    .optional()
    .transform((value) => (value === undefined ? undefined : value === "true"))
    .meta({ description: "`true`: only runs with an error. `false`: only runs that created a session." }),
  trigger_type: z.enum(TRIGGER_TYPES).optional(),
};

export const deploymentRunRoutes = {
  list: defineRoute(operations.deploymentRuns.list, {
    query: listQuery("deployment_run", { deployment_id: idOf("deployment").optional(), ...runFilters }),
    response: pageOf(deploymentRun),
  }),
  get: defineRoute(operations.deploymentRuns.get, {
    params: z.strictObject({ deployment_run_id: z.string() }),
    response: deploymentRun,
  }),
};
