import { z } from "zod";
import { deletedObject, idOf, metadata, timestamp } from "../conventions/fields.ts";
import { listQuery, pageOf } from "../conventions/page.ts";
import { sharedOwner, sharedWithMe, visibilityInput } from "../conventions/sharing.ts";
import { operations } from "../operations/operations.ts";
import { defineRoute } from "../operations/route.ts";
import { sharingRoutes } from "../operations/sharing-routes.ts";

export const file = z
  .strictObject({
    id: idOf("file"),
    type: z.literal("file"),
    filename: z.string(),
    mime_type: z.string(),
    size_bytes: z.int().nullable().meta({
      description: "Size of the content. While the file is pending: the declared size, or null.",
    }),
    uploaded_bytes: z.int().meta({ description: "Number of stored bytes of the content." }),
    sha256: z
      .string()
      .nullable()
      .meta({ description: "Hash of the content, in hexadecimal. Null until the file is ready." }),
    status: z.enum(["pending", "ready", "failed"]),
    downloadable: z.boolean(),
    scope: z
      .strictObject({ type: z.literal("session"), id: idOf("session") })
      .nullable()
      .meta({
        description:
          "The session whose agent wrote this file below `/mnt/session/outputs`; `filename` is its path there. Null for uploads. Outputs are saved before the `session.status_idle` of each turn, and again before the session is archived or its disk is reclaimed; outputs not saved before the session is terminated are lost. A changed output is saved as a new file: the newest file of a name is the current one. At most 1,000 files are saved, each up to the size limit of uploads; a `session.error` of type `outputs_error` reports what was left out.",
      }),
    current: z.boolean().nullable().meta({
      description: "Whether it is the newest output of its session with this `filename`. Null for uploads.",
    }),
    metadata,
    ...sharedOwner,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "File" });
export type File = z.output<typeof file>;

const fileParams = z.strictObject({ file_id: z.string() });

/** The name of a file: letters of any script, without directories. */
export const fileName = z
  .string()
  .normalize("NFC")
  .min(1)
  .max(255)
  .refine(
    (name) => !/[\u0000-\u001f\u007f/\\]/.test(name) && name !== "." && name !== ".." && name.isWellFormed(),
    "Field '{field}' has characters that a file name cannot have.",
  );

/** A pending file, whose content is uploaded by `files.putContent`. */
export const newFile = z
  .strictObject({
    filename: fileName,
    size_bytes: z.int().min(0).nullish().meta({ description: "Content of another size is rejected." }),
    mime_type: z
      .string()
      .regex(/^[\w.+-]{1,100}\/[\w.+-]{1,100}$/)
      .toLowerCase()
      .nullish()
      .meta({ description: "Default: derived from the file name, else `application/octet-stream`." }),
    metadata: metadata.nullish(),
    visibility: visibilityInput,
  })
  .meta({ id: "NewFile" });
export type NewFile = z.input<typeof newFile>;
export type NewFileBody = z.output<typeof newFile>;

/** Maximum pending files per owner. A file that receives no content for a week fails. */
export const MAX_PENDING_FILES = 100;

/** The parts of a `multipart/form-data` upload, in any order. */
export const uploadParts = z.strictObject({
  file: z.string().meta({ format: "binary", description: "The content, with the file name." }),
  metadata: z.string().optional().meta({ description: "A JSON object of strings." }),
  visibility: visibilityInput,
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
      shared_with_me: sharedWithMe,
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
  ...sharingRoutes(operations.files, fileParams),
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
