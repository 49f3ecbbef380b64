import { MAX_PENDING_FILES, type NewFileBody, newUuid } from "@berth/contract";
import { ownedBy, type Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { mimeTypeByName } from "@berth/store/files";
import type { OwnerLimits } from "@berth/store/limits";
import { requireFileBytes } from "./file-bytes.ts";
import { countPendingFiles, type FileRow, insertFile } from "./file-store.ts";

/**
 * Creates a file that is pending until its content, of at most `limit` bytes, is received.
 *
 * @throws errors.contentTooLarge, errors.tooManyPending, errors.overLimit
 */
export async function createPendingFile(
  db: DatabaseAccess,
  { principal, limits }: { principal: Principal; limits: OwnerLimits },
  { filename, size_bytes: size = null, mime_type: mimeType, metadata, visibility }: NewFileBody,
  limit: number,
): Promise<FileRow> {
  if (size !== null && size > limit) throw errors.contentTooLarge(limit, "size_bytes");
  const owner = ownedBy(principal, visibility);
  return await db.transaction(async (tx) => {
    if ((await countPendingFiles(tx, owner.owner_id)) >= MAX_PENDING_FILES) throw errors.tooManyPending();
    await requireFileBytes(tx, limits, owner, size ?? 0);
    return await insertFile(tx, {
      id: newUuid(),
      ...owner,
      filename,
      mime_type: mimeType ?? mimeTypeByName(filename) ?? "application/octet-stream",
      size_bytes: size,
      sha256: null,
      status: "pending",
      downloadable: true,
      scope_session_id: null,
      metadata: metadata ?? {},
    });
  });
}
