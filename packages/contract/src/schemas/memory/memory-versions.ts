import { z } from "zod";
import { idOf, timestamp } from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

export const MEMORY_OPERATIONS = ["created", "modified", "deleted"] as const;
export type MemoryOperation = (typeof MEMORY_OPERATIONS)[number];

/** Who changed a memory: a caller of the API, or a session's agent in its container. */
export const memoryActor = z
  .discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("api_actor"),
      token_id: idOf("token"),
      principal_id: z.string().meta({ description: "The user or service account of the token." }),
    }),
    z.strictObject({ type: z.literal("session_actor"), session_id: idOf("session") }),
  ])
  .meta({ id: "MemoryActor" });
export type MemoryActor = z.output<typeof memoryActor>;

export const memoryVersion = z
  .strictObject({
    id: idOf("memory_version"),
    type: z.literal("memory_version"),
    memory_store_id: idOf("memory_store"),
    memory_id: idOf("memory"),
    operation: z.enum(MEMORY_OPERATIONS),
    path: z.string().nullable().meta({ description: "Null if redacted." }),
    content: z.string().nullable().meta({ description: "Null in lists, for a deletion, and if redacted." }),
    content_sha256: z.string().nullable().meta({ description: "Null for a deletion, and if redacted." }),
    size_bytes: z.int().nullable().meta({ description: "Null for a deletion, and if redacted." }),
    created_by: memoryActor,
    redacted_at: timestamp.nullable(),
    redacted_by: memoryActor.nullable(),
    created_at: timestamp,
  })
  .meta({ id: "MemoryVersion" });
export type MemoryVersion = z.output<typeof memoryVersion>;

const listParams = z.strictObject({ memory_store_id: z.string() });
const versionParams = z.strictObject({ memory_store_id: z.string(), memory_version_id: z.string() });

export const memoryVersionRoutes = {
  list: defineRoute(operations.memoryVersions.list, {
    params: listParams,
    query: listQuery("memory_version", {
      memory_id: idOf("memory").optional(),
      session_id: idOf("session")
        .optional()
        .meta({ description: "Only versions that this session's agent created." }),
      operation: z.enum(MEMORY_OPERATIONS).optional(),
    }),
    response: pageOf(memoryVersion),
  }),
  get: defineRoute(operations.memoryVersions.get, {
    params: versionParams,
    response: memoryVersion,
  }),
  /** Removes path, content, hash and size permanently; the version stays. A repetition changes nothing. */
  redact: defineRoute(operations.memoryVersions.redact, {
    params: versionParams,
    response: memoryVersion,
  }),
};
