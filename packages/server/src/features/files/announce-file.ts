import { type File, type NewFileBody, newUuid } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import { ownerOf, type Principal } from "../../http/principal.ts";
import { fileAnswer, insertFile } from "./file-store.ts";

/** Makes a file that is pending until its content, of at most `limit` bytes, has arrived. */
export async function announceFile(
  db: Queryable,
  principal: Principal,
  { filename, size_bytes: size = null, mime_type: mimeType, metadata }: NewFileBody,
  limit: number,
): Promise<File> {
  if (size !== null && size > limit) throw errors.contentTooLarge(limit, "size_bytes");
  const row = await insertFile(db, {
    id: newUuid(),
    ...ownerOf(principal),
    filename,
    mime_type: mimeType ?? "application/octet-stream",
    size_bytes: size,
    sha256: null,
    status: "pending",
    downloadable: true,
    scope_session_id: null,
    metadata: metadata ?? {},
  });
  return fileAnswer(row);
}
