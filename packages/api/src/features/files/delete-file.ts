import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { deleteFileRow, type FileRow, isFileUsed, requireFileForDelete } from "./file-store.ts";

/**
 * Deletes a file that no active session mounts or has in its log. Its content stays until
 * `removeUnusedContent` runs.
 *
 * @throws errors.notFound, errors.notYours, errors.fileInUse
 */
export async function deleteFile(
  db: DatabaseAccess,
  principal: Principal,
  fileId: string,
): Promise<Pick<FileRow, "id" | "sha256">> {
  return await db.transaction(async (tx) => {
    const file = await requireFileForDelete(tx, principal, fileId);
    if (await isFileUsed(tx, file.id)) throw errors.fileInUse(fileId);
    await deleteFileRow(tx, file.id);
    return file;
  });
}
