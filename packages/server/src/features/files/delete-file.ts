import { uuidOrNil } from "@berth/contract";
import type { DatabaseAccess } from "../../db/database-access.ts";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import { type Principal, reaches } from "../../http/principal.ts";
import type { FileRow } from "./file-store.ts";

/**
 * Deletes a file that no living session mounts or has in its log. Its content stays until `removeUnused`.
 *
 * @throws errors.notFound, errors.notYours, errors.fileInUse
 */
export async function deleteFile(
  db: DatabaseAccess,
  principal: Principal,
  fileId: string,
): Promise<Pick<FileRow, "id" | "sha256">> {
  return await db.transaction(async (tx) => {
    const row = await claimFile(tx, uuidOrNil("file", fileId));
    if (row === null) throw errors.notFound("file", fileId);
    if (!reaches(principal, row)) throw errors.notYours("file", fileId);
    if (await isUsed(tx, row.id)) throw errors.fileInUse(fileId);
    await tx.query({ name: "delete_file", text: "delete from files where id = $1", values: [row.id] });
    return row;
  });
}

type Claimed = Pick<FileRow, "id" | "organization_id" | "owner_type" | "owner_id" | "sha256">;

/** Waits for those who mount it just now, and holds off those who want to. */
async function claimFile(tx: Queryable, id: string): Promise<Claimed | null> {
  if (id === "") return null;
  const text = "select id, organization_id, owner_type, owner_id, sha256 from files where id = $1 for update";
  return (await tx.query<Claimed>({ name: "claim_file", text, values: [id] })).rows[0] ?? null;
}

async function isUsed(tx: Queryable, id: string): Promise<boolean> {
  const { rows } = await tx.query({
    name: "file_is_used",
    text: `
      select 1 as used from (
        select session_id from session_resources where file_id = $1
        union all select session_id from event_files where file_id = $1
      ) as use join sessions on sessions.id = session_id
      where terminated_at is null and archived_at is null limit 1`,
    values: [id],
  });
  return rows.length > 0;
}
