import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const IN_MEMORY = "/dev/shm";
/** Room for the servers of several test files at a time, 100 MB each. Containers often have only 64 MB. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * The directory for PostgreSQL servers of tests whose subject is not the disk; in memory if there is enough.
 */
export const SERVERS_DIRECTORY = hasEnough() ? IN_MEMORY : tmpdir();

function hasEnough(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
