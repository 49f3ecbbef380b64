import { z } from "zod";
import { idOf, referenceTo, text, timestamp } from "../../conventions/fields.ts";

/** How many memory stores a session has at most. */
export const maxMemoryMounts = 8;

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
    .meta({ description: "What the agent is told of this store besides its description." }),
});

export const memoryStoreResource = z
  .strictObject({
    id: idOf("session_resource"),
    type: z.literal("memory_store"),
    memory_store_id: idOf("memory_store"),
    name: z.string().meta({ description: "The store's when the session was created." }),
    description: z.string().nullable().meta({ description: "The store's when the session was created." }),
    access,
    instructions: z.string().nullable(),
    mount_path: z.string().meta({ description: "Below `/mnt/memory`, made of the store's name." }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "MemoryStoreResource" });
