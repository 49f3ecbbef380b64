import { newUuid, type Visibility } from "@berth/contract";
import { ownedBy, type Principal } from "@berth/store/access";
import type { BlobStore, StagedBlob } from "@berth/store/blobs";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { lockContent } from "@berth/store/files";
import type { OwnerLimits } from "@berth/store/limits";
import type { Multipart, MultipartFile } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import { fieldMetadata, fieldVisibility, readForm, unknownPart } from "../../http/read-form.ts";
import { requireFileBytes } from "./file-bytes.ts";
import { type FileRow, insertFile } from "./file-store.ts";

export interface Upload {
  filename: string;
  mimeType: string;
  metadata: Record<string, string>;
  /** Undefined for the default of the organization. */
  visibility: Visibility | undefined;
  content: StagedBlob;
}

const MAX_PARTS = 10;

/**
 * Reads a form with one `file`, which is written to disk as it arrives, and at most one `metadata` and one
 * `visibility`, in any order. Deletes the received bytes when it throws.
 */
export async function readUpload(request: FastifyRequest, blobs: BlobStore, limit: number): Promise<Upload> {
  return await readForm(request, { fileSize: limit, parts: MAX_PARTS }, async (parts) => {
    const found: Partial<Upload> = {};
    try {
      await readParts(parts, blobs, limit, found);
      const { content, filename, mimeType, visibility } = found;
      if (content === undefined || filename === undefined || mimeType === undefined) {
        throw errors.invalid("Field 'file' is required.", "file");
      }
      return { content, filename, mimeType, metadata: found.metadata ?? {}, visibility };
    } catch (error) {
      await found.content?.discard();
      throw error;
    }
  });
}

/** Stores an uploaded file as ready. @throws errors.overLimit */
export async function storeUpload(
  db: DatabaseAccess,
  { principal, limits }: { principal: Principal; limits: OwnerLimits },
  { filename, mimeType, metadata, visibility, content }: Upload,
): Promise<FileRow> {
  const owner = ownedBy(principal, visibility);
  return await db.transaction(async (tx) => {
    await requireFileBytes(tx, limits, owner, content.size);
    await lockContent(tx, content.sha256);
    await content.keep();
    return await insertFile(tx, {
      id: newUuid(),
      ...owner,
      filename,
      mime_type: mimeType,
      size_bytes: content.size,
      sha256: content.sha256,
      status: "ready",
      downloadable: true,
      scope_session_id: null,
      metadata,
    });
  });
}

async function readParts(
  parts: AsyncIterable<Multipart>,
  blobs: BlobStore,
  limit: number,
  found: Partial<Upload>,
): Promise<void> {
  for await (const part of parts) {
    const { fieldname: name } = part;
    if (name !== "file" && name !== "metadata" && name !== "visibility") throw unknownPart(name);
    const known = name === "file" ? found.content : found[name];
    if (known !== undefined) throw errors.invalid(`Field '${name}' must be given once.`, name);
    if (name === "metadata") found.metadata = fieldMetadata(part);
    else if (name === "visibility") found.visibility = fieldVisibility(part);
    else if (part.type !== "file") throw errors.invalid("Field 'file' must be a file.", "file");
    else Object.assign(found, await fileOf(part, blobs, limit));
  }
}

async function fileOf(part: MultipartFile, blobs: BlobStore, limit: number) {
  const filename = nameOf(part.filename);
  if (filename === "" || filename.length > 255) {
    throw errors.invalid("Field 'file' must have a name of 1 to 255 characters.", "file");
  }
  if (/[\u0000-\u001f\u007f/\\]/.test(filename) || !filename.isWellFormed()) {
    throw errors.invalid(
      "The file name in field 'file' must not contain control characters, '/' or '\\'.",
      "file",
    );
  }
  const content = await blobs.stage(part.file);
  if (!part.file.truncated) return { content, filename, mimeType: mimeTypeOf(part.mimetype) };
  await content.discard();
  throw errors.bodyTooLarge(limit);
}

/** Returns the file name without the directories that a client may send. */
function nameOf(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return name === "." || name === ".." ? "" : name.normalize("NFC");
}

function mimeTypeOf(given: string): string {
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(given) ? given.toLowerCase() : "application/octet-stream";
}
