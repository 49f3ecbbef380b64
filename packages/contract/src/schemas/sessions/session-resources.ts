import { z } from "zod";
import { deletedObject, idOf, referenceTo, taggedUnion, text, timestamp } from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";
import { mountPath } from "./mount-path.ts";
import {
  gitRepositoryInput,
  gitRepositoryResource,
  hostedRepositoryInput,
  hostedRepositoryResource,
  repositoryResource,
  repositorySecret,
} from "./repositories.ts";

export const MAX_SESSION_MEMORY_STORES = 8;

const access = z
  .enum(["read_write", "read_only"])
  .meta({ description: "Whether the agent can change the memories." });

/** A memory store as a resource of a session. */
export const memoryStoreInput = z.strictObject({
  type: z.literal("memory_store"),
  memory_store_id: referenceTo("memory_store"),
  access: access.default("read_write"),
  instructions: text(0, 4096)
    .nullish()
    .meta({ description: "Shown to the agent in addition to the store's description." }),
});

export const memoryStoreResource = z
  .strictObject({
    id: idOf("session_resource"),
    type: z.literal("memory_store"),
    memory_store_id: idOf("memory_store"),
    name: z.string().meta({ description: "The store's value when the session was created." }),
    description: z
      .string()
      .nullable()
      .meta({ description: "The store's value when the session was created." }),
    access,
    instructions: z.string().nullable(),
    mount_path: z.string().meta({ description: "A directory below `/mnt/memory`, named after the store." }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "MemoryStoreResource" });

const fileInput = z.strictObject({
  type: z.literal("file"),
  file_id: referenceTo("file"),
  mount_path: mountPath.nullish().meta({
    description:
      "Absolute path in the sandbox. Inside a repository, the file is placed after the clone, unless the repository tracks something at that path. Git ignores the file.",
    maxLength: 1024,
  }),
});

const vaultInput = z
  .strictObject({ type: z.literal("vault"), vault_id: referenceTo("vault") })
  .meta({ description: "Equivalent to the vault's id in `vault_ids`, where the session shows it." });

/** A resource in a request that creates a session. */
export const resourceInput = taggedUnion("type", [
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
export type FileResource = z.output<typeof fileResource>;

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
    body: fileInput,
    response: fileResource,
  }),
  list: defineRoute(operations.sessionResources.list, {
    params: sessionParams,
    query: listQuery("session_resource", {}),
    response: pageOf(sessionResource),
  }),
  get: defineRoute(operations.sessionResources.get, {
    params: resourceParams,
    response: sessionResource,
  }),
  delete: defineRoute(operations.sessionResources.delete, {
    params: resourceParams,
    response: deletedObject("session_resource"),
  }),
  rotate: defineRoute(operations.sessionResources.rotate, {
    params: resourceParams,
    body: z.union([
      z.strictObject({ authorization_token: repositorySecret }),
      z.strictObject({ password: repositorySecret }),
      z.strictObject({
        retry: z
          .literal(true)
          .meta({ description: "Tries a failed clone again, with its current credential." }),
      }),
    ]),
    response: repositoryResource,
  }),
};
