import { faultMessage, firstFault, metadata } from "@berth/contract";
import type { MultipartFile } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import type { BlobStore, StagedBlob } from "../../blobs/disk-blobs.ts";
import { ApiError, errors } from "../../http/errors.ts";
import { parseJson } from "../../http/parse-json.ts";
import { drain } from "../../http/read-body.ts";

export interface Upload {
  filename: string;
  mimeType: string;
  metadata: Record<string, string>;
  content: StagedBlob;
}

const MAX_METADATA_BYTES = 65_536;
const MAX_PARTS = 10;
/** A sender is cut off when nothing has come from one look to the next. */
const STALL_MS = 60_000;

/**
 * Reads a form with one `file`, which goes to the disk as it comes, and at most one `metadata`, in any order.
 * When it throws, nothing of the content is left.
 */
export async function readUpload(request: FastifyRequest, blobs: BlobStore, limit: number): Promise<Upload> {
  const found: Partial<Upload> = {};
  const watching = cutOffWhenStalled(request);
  try {
    await readParts(request, blobs, limit, found);
    const { content, filename, mimeType } = found;
    if (content === undefined || filename === undefined || mimeType === undefined) {
      throw errors.invalid("Field 'file' is required.", "file");
    }
    return { content, filename, mimeType, metadata: found.metadata ?? {} };
  } catch (error) {
    await found.content?.discard();
    await drain(request.raw);
    throw refusal(error, limit);
  } finally {
    clearInterval(watching);
  }
}

/** Else one that never goes on would hold its connection and what it has sent for ever. */
function cutOffWhenStalled({ raw }: FastifyRequest): NodeJS.Timeout {
  let before = raw.socket.bytesRead;
  return setInterval(() => {
    if (raw.socket.bytesRead === before) raw.destroy();
    before = raw.socket.bytesRead;
  }, STALL_MS).unref();
}

async function readParts(
  request: FastifyRequest,
  blobs: BlobStore,
  limit: number,
  found: Partial<Upload>,
): Promise<void> {
  const limits = { fileSize: limit, fieldSize: MAX_METADATA_BYTES, parts: MAX_PARTS, files: MAX_PARTS };
  for await (const part of request.parts({ limits })) {
    if (part.fieldname !== "file" && part.fieldname !== "metadata") throw unknownPart(part.fieldname);
    const known = part.fieldname === "file" ? found.content : found.metadata;
    if (known !== undefined)
      throw errors.invalid(`Field '${part.fieldname}' must be given once.`, part.fieldname);
    if (part.fieldname === "metadata") found.metadata = metadataOf(part);
    else if (part.type !== "file") throw errors.invalid("Field 'file' must be a file.", "file");
    else Object.assign(found, await fileOf(part, blobs, limit));
  }
}

async function fileOf(part: MultipartFile, blobs: BlobStore, limit: number) {
  const filename = part.filename.normalize("NFC");
  if (filename === "" || filename.length > 255) {
    throw errors.invalid("Field 'file' must have a name of 1 to 255 characters.", "file");
  }
  if (/[\u0000-\u001f\u007f/\\]/.test(filename) || !filename.isWellFormed()) {
    throw errors.invalid("Field 'file' has a name with characters that no file name holds.", "file");
  }
  const content = await blobs.stage(part.file);
  if (!part.file.truncated) return { content, filename, mimeType: mimeTypeOf(part.mimetype) };
  await content.discard();
  throw errors.bodyTooLarge(limit);
}

function mimeTypeOf(given: string): string {
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(given) ? given.toLowerCase() : "application/octet-stream";
}

function metadataOf(part: { type: string; value?: unknown }): Record<string, string> {
  if (part.type !== "field" || typeof part.value !== "string") {
    throw errors.invalid("Field 'metadata' must be text.", "metadata");
  }
  const value = parsed(part.value);
  const result = metadata.safeParse(value, { error: faultMessage });
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue) => ({ ...issue, path: ["metadata", ...issue.path] }));
  throw errors.fault(firstFault(issues, { metadata: value }));
}

function parsed(text: string): unknown {
  try {
    return parseJson(Buffer.from(text));
  } catch (error) {
    const message = error instanceof ApiError ? error.message.replace("The body", "Field 'metadata'") : "";
    throw errors.invalid(message, "metadata");
  }
}

function unknownPart(name: string): ApiError {
  const shown = String(name).slice(0, 200);
  return errors.invalid(`Unknown field '${shown}'.`, shown);
}

/** What the parser of forms throws speaks of the form, and is the sender's to mend. */
function refusal(error: unknown, limit: number): unknown {
  if (error instanceof ApiError) return error;
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code === "FST_REQ_FILE_TOO_LARGE") return errors.bodyTooLarge(limit);
  const ofForm = typeof code === "string" && /^FST_/.test(code);
  const ofParser =
    typeof message === "string" &&
    /multipart|boundary|Unexpected end|Part terminated|aborted|premature/i.test(message);
  return ofForm || ofParser ? errors.invalid("The body is not a valid multipart/form-data document.") : error;
}
