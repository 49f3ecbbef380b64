import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { DatabaseAccess } from "../../db/database-access.ts";
import { removeUnused, usedAmong } from "./remove-unused.ts";

const GRACE_MS = 3_600_000;

/**
 * Removes contents that no row has, as a process leaves them that died between storing one and its row, or between deleting
 * a row and its content. Only those written more than `graceMs` ago are looked at closely; whatever their age, one that
 * is being stored just now is locked until its row is there.
 */
export async function sweepContents(
  db: DatabaseAccess,
  blobs: BlobStore,
  { graceMs = GRACE_MS, signal }: { graceMs?: number; signal?: AbortSignal } = {},
): Promise<void> {
  for await (const names of blobs.names()) {
    const used = await usedAmong(db.write, names);
    for (const sha256 of names) {
      if (signal?.aborted) return;
      if (used.has(sha256) || (await blobs.age(sha256)) < graceMs) continue;
      await removeUnused(db, blobs, sha256);
    }
  }
}
