import { z } from "zod";
import {
  deletedObject,
  environmentVariables,
  idOf,
  metadata,
  metadataPatch,
  owner,
  referenceTo,
  text,
  timestamp,
} from "../../conventions/fields.ts";
import { flag, listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";
import { sessionAgent } from "../agents/agents.ts";
import { initialEvents } from "../events/input-events.ts";
import { modelUsage } from "../events/session-events.ts";
import { resourceInput, sessionResource } from "./session-resources.ts";

export const sessionStatuses = ["idle", "running", "rescheduling", "terminated"] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

export const session = z
  .strictObject({
    id: idOf("session"),
    type: z.literal("session"),
    agent: sessionAgent,
    environment_id: idOf("environment"),
    status: z.enum(sessionStatuses),
    title: z.string(),
    metadata,
    resources: z.array(sessionResource),
    vault_ids: z.array(idOf("vault")),
    deployment_id: z.null(),
    outcome_evaluations: z.array(z.never()),
    stats: z.strictObject({
      active_seconds: z.int().meta({ description: "Whole seconds in which the session was running." }),
      duration_seconds: z
        .int()
        .meta({ description: "Whole seconds since creation, until it was terminated." }),
    }),
    usage: modelUsage,
    environment_variables: z.record(z.string(), z.string()),
    ...owner,
    archived_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Session" });
export type Session = z.output<typeof session>;

const agentReference = z.union([
  referenceTo("agent"),
  z.strictObject({ id: referenceTo("agent"), type: z.literal("agent"), version: z.int().min(1).nullish() }),
]);

/** How many vaults a session has at most. */
export const maxVaults = 16;

const vaultIds = z
  .array(referenceTo("vault"))
  .max(maxVaults)
  .refine((ids) => new Set(ids).size === ids.length, "Field '{field}' names a vault twice.");

const sessionParams = z.strictObject({ session_id: z.string() });

export const sessionRoutes = {
  create: defineRoute(operations.sessions.create, {
    body: z.strictObject({
      agent: agentReference,
      environment_id: referenceTo("environment"),
      title: text(0, 500).nullish(),
      resources: z.array(resourceInput).max(500).nullish(),
      vault_ids: vaultIds.nullish(),
      metadata: metadata.nullish(),
      environment_variables: environmentVariables.nullish(),
      initial_events: initialEvents.nullish(),
    }),
    answer: session,
  }),
  list: defineRoute(operations.sessions.list, {
    query: listQuery("session", {
      agent_id: idOf("agent").optional(),
      environment_id: idOf("environment").optional(),
      memory_store_id: idOf("memory_store").optional(),
      "statuses[]": z.array(z.enum(sessionStatuses)).optional(),
      include_archived: flag,
    }),
    answer: pageOf(session),
  }),
  get: defineRoute(operations.sessions.get, {
    params: sessionParams,
    answer: session,
  }),
  update: defineRoute(operations.sessions.update, {
    params: sessionParams,
    body: z.strictObject({
      title: text(0, 500).nullish(),
      metadata: metadataPatch.nullish(),
    }),
    answer: session,
  }),
  delete: defineRoute(operations.sessions.delete, {
    params: sessionParams,
    answer: deletedObject("session"),
  }),
  cancel: defineRoute(operations.sessions.cancel, {
    params: sessionParams,
    answer: session,
  }),
  archive: defineRoute(operations.sessions.archive, {
    params: sessionParams,
    answer: session,
  }),
  terminate: defineRoute(operations.sessions.terminate, {
    params: sessionParams,
    answer: session,
  }),
};
