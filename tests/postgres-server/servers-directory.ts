import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const IN_MEMORY = "/dev/shm";
/** Of one server 100 MB, of several files of tests at a time. Containers often have 64 MB. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/** Below it lie the PostgreSQL servers of tests whose subject is not the disk: in memory where there is enough. */
export const SERVERS_DIRECTORY = hasEnough() ? IN_MEMORY : tmpdir();

function hasEnough(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
