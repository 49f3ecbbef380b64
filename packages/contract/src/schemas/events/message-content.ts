import { z } from "zod";
import { referenceTo, taggedUnion, text } from "../../conventions/fields.ts";
import { mediaFault } from "./media-fault.ts";
import { IMAGE_TYPES, mediaTypeOf } from "./media-type.ts";

/** Maximum bytes of an image, after base64 is decoded. */
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
/** Maximum bytes of a document, after base64 is decoded. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;
/** Maximum images and documents in one message. */
export const MAX_ATTACHMENTS = 20;

export const textBlock = z.strictObject({ type: z.literal("text"), text: z.string() });

const fileSource = z.strictObject({ type: z.literal("file"), file_id: referenceTo("file") });

const URL_REJECTED = {
  url: "Field '{field}' must not be 'url': this service does not fetch URLs. Upload the content to /files and give its 'file_id'.",
};

const messageImage = z.strictObject({
  type: z.literal("image"),
  source: taggedUnion(
    "type",
    [
      z.strictObject({ type: z.literal("base64"), media_type: z.enum(IMAGE_TYPES), data: z.string().min(1) }),
      fileSource,
    ],
    [],
    URL_REJECTED,
  ),
});

const messageDocument = z.strictObject({
  type: z.literal("document"),
  source: taggedUnion(
    "type",
    [
      z.strictObject({
        type: z.literal("base64"),
        media_type: z.enum(["application/pdf", "text/plain"]),
        data: z.string().min(1),
      }),
      z.strictObject({
        type: z.literal("text"),
        media_type: z.literal("text/plain"),
        data: z.string().min(1),
      }),
      fileSource,
    ],
    [],
    URL_REJECTED,
  ),
  title: text(1, 500).nullish(),
  context: text(1, 10_000).nullish(),
});

/** A block of a user's message, as sent and as stored. A file is stored as a reference. */
export const messageBlock = z.discriminatedUnion("type", [textBlock, messageImage, messageDocument]);
export type MessageBlock = z.output<typeof messageBlock>;

export const textInput = z.strictObject({ type: z.literal("text"), text: z.string().min(1) });

/** A user message's content in a request. Attachments are checked against their type and the limits. */
export const messageContentInput = z
  .array(taggedUnion("type", [textInput, messageImage, messageDocument]))
  .min(1)
  .superRefine((blocks, context) => {
    let attachments = 0;
    for (const [index, block] of blocks.entries()) {
      if (block.type === "text") continue;
      attachments += 1;
      if (attachments > MAX_ATTACHMENTS) {
        const message = `A message may have at most ${MAX_ATTACHMENTS} images and documents.`;
        return context.addIssue({ code: "custom", path: [index], message });
      }
      const error = sourceError(block);
      if (error !== null)
        context.addIssue({ code: "custom", path: [index, "source", "data"], message: error });
    }
  });

/** Returns why the bytes do not match the media type or the limits, as a sentence, or null if they do. */
export function sourceError({ type, source }: Exclude<MessageBlock, { type: "text" }>): string | null {
  if (source.type !== "base64") return null;
  const bytes = Buffer.from(source.data, "base64");
  if (bytes.toString("base64") !== source.data) return "Field '{field}' must be base64.";
  const limit = type === "image" ? MAX_IMAGE_BYTES : MAX_DOCUMENT_BYTES;
  if (bytes.length > limit) return `Field '{field}' is larger than ${limit / 1_048_576} MiB.`;
  const fits = source.media_type === "text/plain" ? isUtf8(bytes) : mediaTypeOf(bytes) === source.media_type;
  if (!fits) return `Field '{field}' is not valid '${source.media_type}' content.`;
  const fault = source.media_type === "text/plain" ? null : mediaFault(bytes);
  return fault === null ? null : `Field '{field}' ${fault}.`;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const imageBlock = z.strictObject({
  type: z.literal("image"),
  source: z.strictObject({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
});

/** A block of a tool call's result. */
export const resultBlock = z.discriminatedUnion("type", [textBlock, imageBlock]);
export type ResultBlock = z.output<typeof resultBlock>;
