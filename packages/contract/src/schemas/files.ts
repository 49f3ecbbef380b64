import { z } from "zod";
import { deletedObject, idOf, metadata, owner, timestamp } from "../conventions/fields.ts";
import { listQuery, pageOf } from "../conventions/page.ts";
import { operations } from "../operations/operations.ts";
import { defineRoute } from "../operations/route.ts";

export const file = z
  .strictObject({
    id: idOf("file"),
    type: z.literal("file"),
    filename: z.string(),
    mime_type: z.string(),
    size_bytes: z.int().nullable().meta({
      description: "Of the content. While the file is pending, what was announced, or null.",
    }),
    uploaded_bytes: z.int().meta({ description: "How much of the content has arrived to stay." }),
    sha256: z
      .string()
      .nullable()
      .meta({ description: "Of the content, hexadecimal; null until it is ready." }),
    status: z.enum(["pending", "ready", "failed"]),
    downloadable: z.boolean(),
    scope: z
      .strictObject({ type: z.literal("session"), id: idOf("session") })
      .nullable()
      .meta({
        description:
          "The session whose agent left this below `/mnt/session/outputs`; `filename` is the path there. Saved before `session.status_idle` of the turn, and once more before the session's disk is reclaimed or the session is archived. Terminating cuts off: what was not saved by then is gone. A changed output is a new file, and the newest of a name is its present state. At most 1,000 files, each as large as an upload may be; what is left out is told by a `session.error` of type `outputs_error`. Null for uploads.",
      }),
    metadata,
    ...owner,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "File" });
export type File = z.output<typeof file>;

const fileParams = z.strictObject({ file_id: z.string() });

/** Letters of any script, without a path: what a file may be called. */
export const fileName = z
  .string()
  .normalize("NFC")
  .min(1)
  .max(255)
  .refine(
    (name) => !/[\u0000-\u001f\u007f/\\]/.test(name) && name !== "." && name !== ".." && name.isWellFormed(),
    "Field '{field}' has characters that no file name holds.",
  );

/** A file whose content comes later, by `files.putContent`. */
export const newFile = z
  .strictObject({
    filename: fileName,
    size_bytes: z
      .int()
      .min(0)
      .nullish()
      .meta({ description: "The content is refused when it has another size." }),
    mime_type: z
      .string()
      .regex(/^[\w.+-]{1,100}\/[\w.+-]{1,100}$/)
      .toLowerCase()
      .nullish()
      .meta({ description: "Default: `application/octet-stream`." }),
    metadata: metadata.nullish(),
  })
  .meta({ id: "NewFile" });
export type NewFileBody = z.output<typeof newFile>;

/** How many files of one owner may wait for their content. One of which nothing has arrived for a week has failed. */
export const MAX_PENDING_FILES = 100;

/** The parts of a `multipart/form-data` upload, `metadata` before `file` or after it. */
export const uploadParts = z.strictObject({
  file: z.string().meta({ format: "binary", description: "The content, with its file name." }),
  metadata: z.string().optional().meta({ description: "A JSON object of strings." }),
});

export const fileRoutes = {
  upload: defineRoute(operations.files.upload, {
    body: uploadParts,
    jsonBody: newFile,
    response: file,
  }),
  list: defineRoute(operations.files.list, {
    query: listQuery("file", {
      scope_id: idOf("session").optional(),
      "ids[]": z.array(idOf("file")).max(100).optional(),
    }),
    response: pageOf(file),
  }),
  get: defineRoute(operations.files.get, {
    params: fileParams,
    response: file,
  }),
  delete: defineRoute(operations.files.delete, {
    params: fileParams,
    response: deletedObject("file"),
  }),
  putContent: defineRoute(operations.files.putContent, {
    params: fileParams,
    body: z.string().meta({ format: "binary" }),
    response: file,
  }),
  content: defineRoute(operations.files.content, {
    params: fileParams,
    response: z.string().meta({ format: "binary" }),
  }),
};
