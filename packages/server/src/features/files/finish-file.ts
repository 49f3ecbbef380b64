import { formatId } from "@berth/contract";
import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { DatabaseAccess } from "../../db/database-access.ts";
import type { ApiError } from "../../http/api-error.ts";
import { errors } from "../../http/errors.ts";
import type { FileRow } from "./file-store.ts";
import { lockContent } from "./lock-content.ts";
import { removeUnused } from "./remove-unused.ts";
import { markReady, storeArrived } from "./upload-store.ts";

/**
 * Makes a file ready whose content, of this size, has arrived. What had arrived stays until that stands, so that it can be
 * tried again.
 */
export async function finishFile(
  db: DatabaseAccess,
  blobs: BlobStore,
  { id }: FileRow,
  size: number,
): Promise<FileRow> {
  // From here on nothing can be put behind it, since its content may be in the store already.
  if ((await storeArrived(db.write, id, { uploaded: size, size })) === null) throw gone(id);
  const growing = blobs.growing(id);
  const content = await growing.stage(size);
  const ready = await db.transaction(async (tx) => {
    await lockContent(tx, content.sha256);
    await content.keep();
    return await markReady(tx, id, content.sha256);
  });
  await growing.remove();
  if (ready !== null) return ready;
  await removeUnused(db, blobs, content.sha256);
  throw gone(id);
}

function gone(id: string): ApiError {
  return errors.notFound("file", formatId("file", id));
}
