import { formatId, parseId } from "@berth/contract";
import type { DatabaseAccess } from "../../db/pool.ts";
import { errors } from "../../http/errors.ts";
import { type Principal, reaches } from "../../http/principal.ts";
import { type FileRow, getFile } from "./file-store.ts";

/** A file that the caller reaches. @throws errors.notFound, errors.notYours */
export async function reachFile(db: DatabaseAccess, principal: Principal, fileId: string): Promise<FileRow> {
  const id = parseId("file", fileId);
  const row = id === null ? null : await getFile(db.read, id);
  if (row === null) throw errors.notFound("file", fileId);
  if (!reaches(principal, row)) throw errors.notYours("file", formatId("file", row.id));
  return row;
}
