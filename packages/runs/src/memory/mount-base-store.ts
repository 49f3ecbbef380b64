import { LeaseLost } from "@berth/agent";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { Base } from "./detect-changes.ts";

/** Locks the lease until the transaction ends. @throws LeaseLost */
export async function lockLease(tx: Queryable, lease: Lease): Promise<void> {
  const { rows } = await tx.query({
    name: "hold_lease",
    text: `
      select 1 as held from sessions
      where id = $1 and lease_owner = $2 and lease_epoch = $3 and terminated_at is null for share`,
    values: [lease.sessionId, lease.owner, lease.epoch],
  });
  if (rows.length === 0) throw new LeaseLost();
}

/** Returns the files of a mount as they were when they last equalled their memories. */
export async function readBase(db: Queryable, sessionId: string, storeId: string): Promise<Base> {
  const { rows } = await db.query<{ path: string; content_sha256: string; stamp: string | null }>({
    name: "read_mount_files",
    text: `
      select path, content_sha256, stamp from memory_mount_files
      where session_id = $1 and memory_store_id = $2`,
    values: [sessionId, storeId],
  });
  return new Map(rows.map(({ path, ...file }) => [path, file]));
}

/** Records that these files equal their memories, and that the paths of `gone` do not exist. */
export async function storeBase(
  tx: Queryable,
  sessionId: string,
  storeId: string,
  files: readonly { path: string; content_sha256: string; stamp: string | null }[],
  gone: readonly string[],
): Promise<void> {
  if (gone.length > 0) {
    await tx.query({
      name: "delete_mount_files",
      text: "delete from memory_mount_files where session_id = $1 and memory_store_id = $2 and path = any($3::text[])",
      values: [sessionId, storeId, gone],
    });
  }
  if (files.length === 0) return;
  await tx.query({
    name: "store_mount_files",
    text: `
      insert into memory_mount_files (session_id, memory_store_id, path, content_sha256, stamp)
      select $1, $2, file.path, file.content_sha256, file.stamp
      from unnest($3::text[], $4::text[], $5::text[]) as file (path, content_sha256, stamp)
      on conflict (session_id, memory_store_id, path)
        do update set content_sha256 = excluded.content_sha256, stamp = excluded.stamp`,
    values: [
      sessionId,
      storeId,
      files.map((file) => file.path),
      files.map((file) => file.content_sha256),
      files.map((file) => file.stamp),
    ],
  });
}

/** Clears the base for a new disk, which has nothing of the store. */
export async function clearBase(tx: Queryable, sessionId: string, storeId: string): Promise<void> {
  await tx.query({
    name: "clear_mount_files",
    text: "delete from memory_mount_files where session_id = $1 and memory_store_id = $2",
    values: [sessionId, storeId],
  });
}
