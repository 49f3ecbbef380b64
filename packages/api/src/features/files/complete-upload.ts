import { formatId } from "@berth/contract";
import type { BlobStore } from "@berth/store/blobs";
import type { DatabaseAccess, Queryable } from "@berth/store/db";
import { type ApiError, errors } from "@berth/store/errors";
import { lockContent, removeUnusedContent } from "@berth/store/files";
import type { OwnerLimits } from "@berth/store/limits";
import { requireFileBytes } from "./file-bytes.ts";
import type { FileRow } from "./file-store.ts";
import { markReady, storeReceived } from "./upload-store.ts";

/**
 * Makes a file ready after its whole content of `size` bytes was received. Removes the partial content last,
 * so that a failure can be retried, including one for lack of space.
 *
 * @throws errors.overLimit
 */
export async function completeUpload(
  db: DatabaseAccess,
  { blobs, limits }: { blobs: BlobStore; limits: OwnerLimits },
  { id, ...owner }: FileRow,
  { size, receiver, audit }: { size: number; receiver: string; audit: (tx: Queryable) => Promise<void> },
): Promise<FileRow> {
  // Fixes the size, so that nothing more is appended: the partial content may be hard-linked into the store
  // below.
  if ((await storeReceived(db.write, id, { uploaded: size, size, receiver })) === null) throw deleted(id);
  const partial = blobs.partial(id);
  const content = await partial.stage(size);
  const ready = await db.transaction(async (tx) => {
    await requireFileBytes(tx, limits, owner, 0);
    await lockContent(tx, content.sha256);
    await content.keep();
    const file = await markReady(tx, id, content.sha256);
    if (file !== null) await audit(tx);
    return file;
  });
  // The sweep removes what stays, since the file is not pending.
  await partial.remove().catch(() => undefined);
  if (ready !== null) return ready;
  await removeUnusedContent(db, blobs, content.sha256);
  throw deleted(id);
}

function deleted(id: string): ApiError {
  return errors.notFound("file", formatId("file", id));
}
