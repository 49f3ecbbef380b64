import { z } from "zod";
import {
  deletedObject,
  idOf,
  metadata,
  metadataPatch,
  owner,
  text,
  timestamp,
} from "../../conventions/fields.ts";
import { flag, listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

/** Maximum memories per store. */
export const MAX_MEMORIES = 2_000;

export const memoryStore = z
  .strictObject({
    id: idOf("memory_store"),
    type: z.literal("memory_store"),
    name: z.string(),
    description: z
      .string()
      .nullable()
      .meta({ description: "What the store is for. Shown to agents that have it mounted." }),
    metadata,
    ...owner,
    archived_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "MemoryStore" });
export type MemoryStore = z.output<typeof memoryStore>;

const storeParams = z.strictObject({ memory_store_id: z.string() });

export const memoryStoreRoutes = {
  create: defineRoute(operations.memoryStores.create, {
    body: z.strictObject({
      name: text(1, 255),
      description: text(0, 1024).nullish(),
      metadata: metadata.nullish(),
    }),
    response: memoryStore,
  }),
  list: defineRoute(operations.memoryStores.list, {
    query: listQuery("memory_store", { include_archived: flag }),
    response: pageOf(memoryStore),
  }),
  get: defineRoute(operations.memoryStores.get, {
    params: storeParams,
    response: memoryStore,
  }),
  /** Updates a store. Sessions keep the name and description of a mounted store from their creation. */
  update: defineRoute(operations.memoryStores.update, {
    params: storeParams,
    body: z.strictObject({
      name: text(1, 255).optional(),
      description: text(0, 1024).nullish(),
      metadata: metadataPatch.nullish(),
    }),
    response: memoryStore,
  }),
  delete: defineRoute(operations.memoryStores.delete, {
    params: storeParams,
    response: deletedObject("memory_store"),
  }),
  /** Archives a store. Its memories stay readable, but neither the API nor a session can change them. */
  archive: defineRoute(operations.memoryStores.archive, {
    params: storeParams,
    response: memoryStore,
  }),
};
