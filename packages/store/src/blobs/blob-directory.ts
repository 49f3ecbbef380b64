import { join } from "node:path";
import { isS3Place } from "./s3/s3-place.ts";

/** Returns the directory of the file contents, or null when they are in a bucket. */
export function blobDirectory({ dataDir, blobs }: { dataDir: string; blobs: string }): string | null {
  if (isS3Place(blobs)) return null;
  return blobs === "disk" ? join(dataDir, "blobs") : blobs;
}
