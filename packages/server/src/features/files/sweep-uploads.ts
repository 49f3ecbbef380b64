import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { DatabaseAccess } from "../../db/database-access.ts";
import { failAbandoned, pendingOf } from "./upload-store.ts";

/** Gives up uploads that were abandoned, and removes what has arrived of files that wait for no more. */
export async function sweepUploads(db: DatabaseAccess, blobs: BlobStore): Promise<void> {
  await failAbandoned(db.write);
  const names = await blobs.growingNames();
  if (names.length === 0) return;
  const pending = await pendingOf(db.write, names);
  for (const name of names) if (!pending.has(name)) await blobs.growing(name).remove();
}
