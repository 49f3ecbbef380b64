import type { Queryable } from "@berth/store/db";
import { columns, type FileRow } from "./file-store.ts";

/** Expiry of a receiver's lease, unless it is renewed. */
const LEASE = "now() + interval '15 seconds'";

/**
 * Makes a request the receiver of a file that has no receiver, or an expired one, or the dead one `from`.
 * Returns whether it succeeded. Does not check that the file is pending.
 */
export async function takeReceiver(
  db: Queryable,
  id: string,
  { receiver, from }: { receiver: string; from: string | null },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "take_receiver",
    text: `update files set receiver = $2, received_until = ${LEASE}
      where id = $1 and (receiver is null or received_until < now() or receiver = $3)`,
    values: [id, receiver, from],
  });
  return rowCount === 1;
}

/** Renews the lease of a receiver that still holds it. */
export async function keepReceiver(db: Queryable, id: string, receiver: string): Promise<void> {
  await db.query({
    name: "keep_receiver",
    text: `update files set received_until = ${LEASE} where id = $1 and receiver = $2`,
    values: [id, receiver],
  });
}

/** Releases the lease of a receiver that still holds it. */
export async function dropReceiver(db: Queryable, id: string, receiver: string): Promise<void> {
  await db.query({
    name: "drop_receiver",
    text: "update files set receiver = null, received_until = null where id = $1 and receiver = $2",
    values: [id, receiver],
  });
}

/** Returns the receiver of a file, whose lease may have expired; null when there is none. */
export async function receiverOf(db: Queryable, id: string): Promise<string | null> {
  const { rows } = await db.query<{ receiver: string | null }>({
    name: "receiver_of_file",
    text: "select receiver from files where id = $1",
    values: [id],
  });
  return rows[0]?.receiver ?? null;
}

/**
 * Stores how many bytes the receiver has, and the size once it is known. Returns null when the file is not
 * pending, or another request receives it.
 */
export async function storeReceived(
  db: Queryable,
  id: string,
  { uploaded, size, receiver }: { uploaded: number; size: number | null; receiver: string },
): Promise<FileRow | null> {
  const { rows } = await db.query<FileRow>({
    name: "store_received",
    text: `update files set uploaded_bytes = $2, size_bytes = coalesce($3, size_bytes), updated_at = now(),
        received_until = ${LEASE}
      where id = $1 and status = 'pending' and receiver = $4 returning ${columns}`,
    values: [id, uploaded, size, receiver],
  });
  return rows[0] ?? null;
}

/** Marks a file as ready, whose whole content is stored. Returns null when the file is not pending. */
export async function markReady(tx: Queryable, id: string, sha256: string): Promise<FileRow | null> {
  const { rows } = await tx.query<FileRow>({
    name: "mark_file_ready",
    text: `update files set status = 'ready', sha256 = $2, updated_at = now()
      where id = $1 and status = 'pending' returning ${columns}`,
    values: [id, sha256],
  });
  return rows[0] ?? null;
}

/** Marks a file as failed, whose partial content was lost. */
export async function markFailed(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "mark_file_failed",
    text: `update files set status = 'failed', uploaded_bytes = 0, updated_at = now()
      where id = $1 and status = 'pending'`,
    values: [id],
  });
}

/** Resets the received bytes of all pending files. Their senders start again at the first byte. */
export async function beginUploadsAnew(db: Queryable): Promise<void> {
  await db.query({
    name: "begin_uploads_anew",
    text: `update files set uploaded_bytes = 0, receiver = null, received_until = null, updated_at = now()
      where status = 'pending' and uploaded_bytes > 0`,
  });
}

/** Fails pending files that received nothing for a week. */
export async function failAbandoned(db: Queryable): Promise<void> {
  await db.query({
    name: "fail_abandoned_files",
    text: `update files set status = 'failed', uploaded_bytes = 0, updated_at = now()
      where status = 'pending' and updated_at < now() - interval '7 days'`,
  });
}

/** Returns which of the files are pending. */
export async function pendingFiles(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>({
    name: "pending_files",
    text: "select id from files where id = any($1::uuid[]) and status = 'pending'",
    values: [ids],
  });
  return new Set(rows.map(({ id }) => id));
}
