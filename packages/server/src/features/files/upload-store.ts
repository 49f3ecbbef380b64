import type { Queryable } from "../../db/statement.ts";
import { columns, type FileRow } from "./file-store.ts";

/** Stores how much of a pending file's content was received, and its size once that is known. Null when it is not pending any more. */
export async function storeReceived(
  db: Queryable,
  id: string,
  { uploaded, size }: { uploaded: number; size: number | null },
): Promise<FileRow | null> {
  const { rows } = await db.query<FileRow>({
    name: "store_received",
    text: `update files set uploaded_bytes = $2, size_bytes = coalesce($3, size_bytes), updated_at = now()
      where id = $1 and status = 'pending' returning ${columns}`,
    values: [id, uploaded, size],
  });
  return rows[0] ?? null;
}

/** Marks a file whose whole content is stored. Null when the file is not pending any more. */
export async function markReady(tx: Queryable, id: string, sha256: string): Promise<FileRow | null> {
  const { rows } = await tx.query<FileRow>({
    name: "mark_file_ready",
    text: `update files set status = 'ready', sha256 = $2, updated_at = now()
      where id = $1 and status = 'pending' returning ${columns}`,
    values: [id, sha256],
  });
  return rows[0] ?? null;
}

/** Marks a file whose partial content was lost. */
export async function markFailed(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "mark_file_failed",
    text: `update files set status = 'failed', uploaded_bytes = 0, updated_at = now()
      where id = $1 and status = 'pending'`,
    values: [id],
  });
}

/** Fails the pending files for which nothing was received for a week. */
export async function failAbandoned(db: Queryable): Promise<void> {
  await db.query({
    name: "fail_abandoned_files",
    text: `update files set status = 'failed', uploaded_bytes = 0, updated_at = now()
      where status = 'pending' and updated_at < now() - interval '7 days'`,
  });
}

/** Those of the files that are pending. */
export async function pendingFiles(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>({
    name: "pending_files",
    text: "select id from files where id = any($1::uuid[]) and status = 'pending'",
    values: [ids],
  });
  return new Set(rows.map(({ id }) => id));
}
