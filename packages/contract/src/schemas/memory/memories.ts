import { z } from "zod";
import { absolutePathError, deletedObject, idOf, timestamp } from "../../conventions/fields.ts";
import { listQuery } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { crud, defineRoute } from "../../operations/route.ts";

/** The path of a memory in its store, and below the store's mount in a session. Case-sensitive. */
export const memoryPath = z
  .string()
  .superRefine((path, context) => {
    const message = absolutePathError(path);
    if (message !== null) context.addIssue({ code: "custom", message });
  })
  .meta({ description: "Absolute path in the store, such as `/notes/a.md`.", maxLength: 1024 });

/** Maximum bytes of a memory, in UTF-8. */
export const MAX_MEMORY_BYTES = 102_400;

const content = z
  .string()
  .refine((text) => Buffer.byteLength(text) <= MAX_MEMORY_BYTES, {
    error: `Field '{field}' must be at most ${MAX_MEMORY_BYTES} bytes of UTF-8.`,
  })
  .refine((text) => text.isWellFormed(), { error: "Field '{field}' is not Unicode text." });

export const contentSha256 = z.string().regex(/^[0-9a-f]{64}$/, {
  error: "Field '{field}' must be a SHA-256 in 64 lower-case hexadecimal digits.",
});

export const memory = z
  .strictObject({
    id: idOf("memory"),
    type: z.literal("memory"),
    memory_store_id: idOf("memory_store"),
    memory_version_id: idOf("memory_version").meta({ description: "The newest version." }),
    path: z.string(),
    content: z.string().nullable().meta({ description: "Null in lists." }),
    content_sha256: z.string(),
    size_bytes: z.int(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Memory" });
export type Memory = z.output<typeof memory>;

const within = z.strictObject({ memory_store_id: z.string() });
const params = z.strictObject({ memory_store_id: z.string(), memory_id: z.string() });

export const memoryRoutes = {
  ...crud(operations.memories, {
    kind: "memory",
    object: memory,
    params,
    within,
    create: z.strictObject({ path: memoryPath, content }),
    list: listQuery("memory", {
      path_prefix: z
        .string()
        .max(1024)
        .regex(/^\//, { error: "Field '{field}' must begin with '/'." })
        .optional()
        .meta({ description: "Only paths with this prefix; `/notes/` selects everything in `/notes`." }),
    }),
    update: z.strictObject({
      path: memoryPath.optional(),
      content: content.optional(),
      precondition: z
        .strictObject({ type: z.literal("content_sha256"), content_sha256: contentSha256 })
        .nullish()
        .meta({ description: "The update is rejected with 409 unless the current content has this hash." }),
    }),
  }),
  delete: defineRoute(operations.memories.delete, {
    params,
    query: z.strictObject({
      expected_content_sha256: contentSha256
        .optional()
        .meta({ description: "The deletion is rejected with 409 unless the current content has this hash." }),
    }),
    response: deletedObject("memory"),
  }),
};
