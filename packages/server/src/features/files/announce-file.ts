import { type File, MAX_PENDING_FILES, type NewFileBody, newUuid } from "@berth/contract";
import type { DatabaseAccess } from "../../db/database-access.ts";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import { ownerOf, type Principal } from "../../http/principal.ts";
import { fileAnswer, insertFile } from "./file-store.ts";
import { mimeTypeByName } from "./mime-type.ts";

/**
 * Makes a file that is pending until its content, of at most `limit` bytes, has arrived.
 *
 * @throws errors.contentTooLarge, errors.tooManyPending
 */
export async function announceFile(
  db: DatabaseAccess,
  principal: Principal,
  { filename, size_bytes: size = null, mime_type: mimeType, metadata }: NewFileBody,
  limit: number,
): Promise<File> {
  if (size !== null && size > limit) throw errors.contentTooLarge(limit, "size_bytes");
  const owner = ownerOf(principal);
  return await db.transaction(async (tx) => {
    if ((await countPending(tx, owner.owner_id)) >= MAX_PENDING_FILES) throw errors.tooManyPending();
    const row = await insertFile(tx, {
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
    return fileAnswer(row);
  });
}

/** Files of the owner that wait for their content; it announces no other until the transaction ends. */
async function countPending(tx: Queryable, ownerId: string): Promise<number> {
  await tx.query({
    name: "lock_announcing",
    text: "select pg_advisory_xact_lock(hashtextextended('announcing ' || $1, 0))",
    values: [ownerId],
  });
  const { rows } = await tx.query<{ count: number }>({
    name: "count_pending_files",
    text: "select count(*)::integer as count from files where owner_id = $1 and status = 'pending'",
    values: [ownerId],
  });
  return rows[0]?.count ?? 0;
}
