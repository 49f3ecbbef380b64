import { z } from "zod";
import {
  deletedObject,
  environmentVariables,
  idOf,
  idOfOwner,
  metadata,
  metadataPatch,
  owner,
  referenceTo,
  text,
  timestamp,
} from "../../conventions/fields.ts";
import { gitIdentity, gitIdentityInput } from "../../conventions/git-identity.ts";
import { flag, listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";
import { sessionAgent } from "../agents/agents.ts";
import { initialEvents } from "../events/input-events.ts";
import { modelUsage } from "../events/session-events.ts";
import { resourceInput, sessionResource } from "./session-resources.ts";

export const SESSION_STATUSES = ["idle", "running", "rescheduling", "terminated"] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

export const session = z
  .strictObject({
    id: idOf("session"),
    type: z.literal("session"),
    agent: sessionAgent,
    environment_id: idOf("environment"),
    status: z.enum(SESSION_STATUSES),
    title: z.string(),
    metadata,
    resources: z.array(sessionResource),
    vault_ids: z.array(idOf("vault")),
    deployment_id: z.null(),
    outcome_evaluations: z.array(z.never()),
    stats: z.strictObject({
      active_seconds: z
        .int()
        .meta({ description: "Time during which the session was running, in whole seconds." }),
      duration_seconds: z
        .int()
        .meta({ description: "Time from creation until now, or until termination, in whole seconds." }),
    }),
    usage: modelUsage,
    environment_variables: z.record(z.string(), z.string()),
    git_identity: gitIdentity.nullable(),
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

export const MAX_SESSION_VAULTS = 16;

const vaultIds = z
  .array(referenceTo("vault"))
  .max(MAX_SESSION_VAULTS)
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
      git_identity: gitIdentityInput.nullish(),
      initial_events: initialEvents.nullish(),
    }),
    response: session,
  }),
  list: defineRoute(operations.sessions.list, {
    query: listQuery("session", {
      agent_id: idOf("agent").optional(),
      environment_id: idOf("environment").optional(),
      memory_store_id: idOf("memory_store").optional(),
      owner_id: idOfOwner.optional(),
      "statuses[]": z.array(z.enum(SESSION_STATUSES)).optional(),
      title: text(1, 200).optional().meta({
        description: "Return the sessions whose title contains this. Letters may be in upper or lower case.",
      }),
      requires_action: flag.meta({
        description: "Return only the sessions with calls that wait for a client's confirmation or result.",
      }),
      include_archived: flag,
    }),
    response: pageOf(session),
  }),
  get: defineRoute(operations.sessions.get, {
    params: sessionParams,
    response: session,
  }),
  update: defineRoute(operations.sessions.update, {
    params: sessionParams,
    body: z.strictObject({
      title: text(0, 500).nullish(),
      metadata: metadataPatch.nullish(),
      git_identity: gitIdentityInput.nullish(),
    }),
    response: session,
  }),
  delete: defineRoute(operations.sessions.delete, {
    params: sessionParams,
    response: deletedObject("session"),
  }),
  cancel: defineRoute(operations.sessions.cancel, {
    params: sessionParams,
    response: session,
  }),
  archive: defineRoute(operations.sessions.archive, {
    params: sessionParams,
    response: session,
  }),
  terminate: defineRoute(operations.sessions.terminate, {
    params: sessionParams,
    response: session,
  }),
};
