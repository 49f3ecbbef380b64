import type { BlobStore } from "@berth/store/blobs";
import type { DatabaseAccess } from "@berth/store/db";
import { removeUnusedContent, usedContents } from "@berth/store/files";
import { failAbandoned, pendingFiles } from "./upload-store.ts";

const GRACE_MS = 3_600_000;

/**
 * Removes contents without a row. They remain when a process dies between storing a content and its row, or
 * between deleting a row and its content. Only contents written more than `graceMs` ago are checked. A
 * content that is being stored is locked until its row exists, whatever its age.
 */
export async function sweepContents(
  db: DatabaseAccess,
  blobs: BlobStore,
  { graceMs = GRACE_MS, signal }: { graceMs?: number; signal?: AbortSignal } = {},
): Promise<void> {
  for await (const names of blobs.names()) {
    const used = await usedContents(db.write, names);
    for (const sha256 of names) {
      if (signal?.aborted) return;
      if (used.has(sha256) || (await blobs.age(sha256)) < graceMs) continue;
      await removeUnusedContent(db, blobs, sha256);
    }
  }
}

/** Fails abandoned uploads, and removes the partial contents of files that are not pending. */
export async function sweepUploads(db: DatabaseAccess, blobs: BlobStore): Promise<void> {
  await failAbandoned(db.write);
  const names = await blobs.partialNames();
  if (names.length === 0) return;
  const pending = await pendingFiles(db.write, names);
  for (const name of names) if (!pending.has(name)) await blobs.partial(name).remove();
}
