import { join } from "node:path";
import type { DatabaseAccess } from "../db/database-access.ts";
import { blobDirectory } from "./blob-directory.ts";
import { openDiskBlobs } from "./disk/disk-blobs.ts";
import type { BlobStore } from "./interface/blob-store.ts";
import { parseS3Place } from "./s3/s3-place.ts";

/** Settings of the store. */
export interface BlobConfig {
  /** The directory of all state. */
  dataDir: string;
  /** `disk`, a directory, or `s3://bucket/prefix?endpoint=…&region=…`. */
  blobs: string;
  /** The maximum size of the cache of a bucket's contents, in megabytes. */
  blobCacheMb: number;
  /** Proxies for requests to a bucket; null for none. */
  httpsProxy: string | null;
  httpProxy: string | null;
  /** Hosts that are reached without a proxy. */
  noProxy: readonly string[];
}

const MEBIBYTE = 1024 * 1024;

/**
 * Opens the store that the settings name. The S3 modules are loaded only for a bucket, and need not be
 * installed otherwise.
 */
export async function openBlobs(config: BlobConfig, db: DatabaseAccess): Promise<BlobStore> {
  const directory = blobDirectory(config);
  if (directory !== null) return await openDiskBlobs(directory);
  const { openS3Blobs } = await import("./s3/s3-blobs.ts").catch(describeMissing);
  return openS3Blobs({
    db,
    place: parseS3Place(config.blobs),
    proxies: config,
    cache: { directory: join(config.dataDir, "blob-cache"), maxBytes: config.blobCacheMb * MEBIBYTE },
  });
}

function describeMissing(error: NodeJS.ErrnoException): never {
  if (error.code !== "ERR_MODULE_NOT_FOUND" || !error.message.includes("@aws-sdk/")) throw error;
  throw new Error(
    "BERTH_BLOBS names a bucket, which needs the package @aws-sdk/client-s3: install it beside Berth with 'npm install @aws-sdk/client-s3@3'.",
  );
}
