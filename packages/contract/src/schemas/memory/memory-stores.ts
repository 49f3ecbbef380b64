import { z } from "zod";
import { idOf, metadata, metadataPatch, text, timestamp } from "../../conventions/fields.ts";
import { sharedOwner, visibilityInput } from "../../conventions/sharing.ts";
import { operations } from "../../operations/operations.ts";
import { crud, defineRoute } from "../../operations/route.ts";
import { sharingRoutes } from "../../operations/sharing-routes.ts";

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
      .meta({ description: "The purpose of the store. Shown to agents that have it mounted." }),
    metadata,
    ...sharedOwner,
    archived_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "MemoryStore" });
export type MemoryStore = z.output<typeof memoryStore>;

const params = z.strictObject({ memory_store_id: z.string() });
const description = text(0, 1024).nullish();

export const memoryStoreRoutes = {
  ...crud(operations.memoryStores, {
    kind: "memory_store",
    object: memoryStore,
    params,
    create: z.strictObject({
      name: text(1, 255),
      description,
      metadata: metadata.nullish(),
      visibility: visibilityInput,
    }),
    update: z.strictObject({
      name: text(1, 255).optional(),
      description,
      metadata: metadataPatch.nullish(),
    }),
  }),
  ...sharingRoutes(operations.memoryStores, params),
  archive: defineRoute(operations.memoryStores.archive, { params, response: memoryStore }),
};
