import { otherHostsSeen } from "@berth/runs/lease";
import type { BlobStore } from "@berth/store/blobs";
import { type Queryable, recordBlobStore } from "@berth/store/db";
import { blobDirectory } from "@berth/store/names";
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import { installationId } from "./installation-id.ts";

/**
 * Checks that this service can read the contents of the database's files. Each service of a database reads
 * what the others store, so all need the same store. A different store than before, such as after a move to a
 * new machine, becomes that of the database if no other service runs on it.
 * @throws Error with one sentence for the operator when the store cannot be used, or another service runs
 * with the store that the database has.
 */
export async function requireContents(
  { db, blobs, log }: { db: Queryable; blobs: BlobStore; log: Logger },
  config: Config,
): Promise<void> {
  await blobs.check();
  const place = blobDirectory(config) ?? config.blobs;
  const store = await blobs.id();
  if (await recordBlobStore(db, store, { replace: false })) return;
  const graceMs = config.hostGraceSeconds * 1_000;
  if (await otherHostsSeen(db, installationId(config.dataDir), graceMs))
    throw new Error(
      `Another service of this database keeps file contents elsewhere than in ${place}: set BERTH_BLOBS of all services to the same directory or bucket.`,
    );
  log.warn({ place }, "the contents of the database's files were in another place before");
  await recordBlobStore(db, store, { replace: true });
}
