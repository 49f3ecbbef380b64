import { type File, newUuid } from "@berth/contract";
import type { DatabaseAccess } from "../../db/database-access.ts";
import { ownerOf, type Principal } from "../../http/principal.ts";
import { fileAnswer, insertFile } from "./file-store.ts";
import { lockContent } from "./lock-content.ts";
import type { Upload } from "./read-upload.ts";

/** Stores what was taken in whole as a file that is ready. */
export async function storeUpload(
  db: DatabaseAccess,
  principal: Principal,
  { filename, mimeType, metadata, content }: Upload,
): Promise<File> {
  return await db.transaction(async (tx) => {
    await lockContent(tx, content.sha256);
    await content.keep();
    const row = await insertFile(tx, {
      id: newUuid(),
      ...ownerOf(principal),
      filename,
      mime_type: mimeType,
      size_bytes: content.size,
      sha256: content.sha256,
      status: "ready",
      downloadable: true,
      scope_session_id: null,
      metadata,
    });
    return fileAnswer(row);
  });
}
