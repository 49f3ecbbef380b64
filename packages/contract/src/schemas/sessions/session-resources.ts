import { z } from "zod";
import { idOf, kindsBy, referenceTo, timestamp } from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";
import { memoryStoreInput, memoryStoreResource } from "./memory-mounts.ts";
import { mountPath } from "./mount-path.ts";
import {
  gitRepositoryInput,
  gitRepositoryResource,
  hostedRepositoryInput,
  hostedRepositoryResource,
  repositoryResource,
  repositorySecret,
} from "./repositories.ts";

const fileInput = z.strictObject({
  type: z.literal("file"),
  file_id: referenceTo("file"),
  mount_path: mountPath.nullish(),
});

const vaultInput = z
  .strictObject({ type: z.literal("vault"), vault_id: referenceTo("vault") })
  .meta({ description: "The same as the vault's id in `vault_ids`, where the session shows it." });

/** A resource as it is given when a session is created. */
export const resourceInput = kindsBy("type", [
  hostedRepositoryInput,
  gitRepositoryInput,
  fileInput,
  memoryStoreInput,
  vaultInput,
]);
export type ResourceInput = z.output<typeof resourceInput>;

export const fileResource = z
  .strictObject({
    id: idOf("session_resource"),
    type: z.literal("file"),
    file_id: idOf("file"),
    mount_path: z.string(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "FileResource" });

export const sessionResource = z
  .discriminatedUnion("type", [
    hostedRepositoryResource,
    gitRepositoryResource,
    fileResource,
    memoryStoreResource,
  ])
  .meta({ id: "SessionResource" });
export type SessionResource = z.output<typeof sessionResource>;

const sessionParams = z.strictObject({ session_id: z.string() });
const resourceParams = z.strictObject({ session_id: z.string(), resource_id: z.string() });

export const sessionResourceRoutes = {
  add: defineRoute(operations.sessionResources.add, {
    params: sessionParams,
    query: z.strictObject({}),
    body: fileInput,
    answer: fileResource,
  }),
  list: defineRoute(operations.sessionResources.list, {
    params: sessionParams,
    query: listQuery("session_resource", {}),
    body: z.undefined(),
    answer: pageOf(sessionResource),
  }),
  get: defineRoute(operations.sessionResources.get, {
    params: resourceParams,
    query: z.strictObject({}),
    body: z.undefined(),
    answer: sessionResource,
  }),
  delete: defineRoute(operations.sessionResources.delete, {
    params: resourceParams,
    query: z.strictObject({}),
    body: z.undefined(),
    answer: z.strictObject({ id: idOf("session_resource"), type: z.literal("session_resource_deleted") }),
  }),
  rotate: defineRoute(operations.sessionResources.rotate, {
    params: resourceParams,
    query: z.strictObject({}),
    body: z.union([
      z.strictObject({ authorization_token: repositorySecret }),
      z.strictObject({ password: repositorySecret }),
    ]),
    answer: repositoryResource,
  }),
};
