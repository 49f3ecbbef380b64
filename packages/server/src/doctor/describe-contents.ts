import type { Capability } from "@berth/sandbox";
import { openBlobs } from "@berth/store/blobs";
import type { DatabaseAccess } from "@berth/store/db";
import { blobDirectory } from "@berth/store/names";
import type { Config } from "../config/config.ts";

/**
 * Reports whether the bucket of the contents of files can be used. Writes, reads and deletes one small
 * object. Returns null for a directory.
 */
export async function describeContents(config: Config, db: DatabaseAccess): Promise<Capability | null> {
  if (blobDirectory(config) !== null) return null;
  const name = "contents";
  try {
    const blobs = await openBlobs(config, db);
    await blobs.check().finally(() => blobs.close());
    const detail = `A small object was written, read and deleted at ${config.blobs}.`;
    return { name, state: "yes", detail };
  } catch (error) {
    return { name, state: "no", detail: (error as Error).message };
  }
}
