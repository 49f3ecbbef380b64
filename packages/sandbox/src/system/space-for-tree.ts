import { statfs } from "node:fs/promises";

const MEBIBYTE = 1_048_576;
/** What a tree takes while it is made, and as much again, so that the database beside it never meets a full disk. */
export const TREE_NEEDS_BYTES = 1_536 * MEBIBYTE;

/** That a directory's filesystem is too full for a tree to be made there, as a clause, or null. */
export async function lackOfSpace(directory: string, needed = TREE_NEEDS_BYTES): Promise<string | null> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize >= needed) return null;
  const [free, enough] = [bavail * bsize, needed].map((bytes) => Math.floor(bytes / MEBIBYTE));
  return `the disk of the data directory has ${free} MiB free, and making the Debian takes ${enough}`;
}
