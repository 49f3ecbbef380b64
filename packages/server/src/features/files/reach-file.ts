import type { DatabaseAccess } from "../../db/database-access.ts";
import type { Principal } from "../../http/principal.ts";
import { reached } from "../../http/reached.ts";
import { type FileRow, getFile } from "./file-store.ts";

/** A file that the caller reaches. @throws errors.notFound, errors.notYours */
export async function reachFile(db: DatabaseAccess, principal: Principal, fileId: string): Promise<FileRow> {
  return await reached(principal, "file", fileId, (id) => getFile(db.read, id));
}
