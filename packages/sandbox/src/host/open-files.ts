import { readFileSync } from "node:fs";
import { hardLimit } from "@berth/linux";

export const MOST_OPEN_FILES = 16_384;
/** With fewer, ordinary programs fail. */
export const FEWEST_OPEN_FILES = 256;

/**
 * How many files a process of a sandbox may have open: so many that all its processes together can fill at most half of the
 * kernel's table of open files, which the whole machine shares.
 *
 * @param pids the sandbox's limit of processes.
 * @param table Default: the size of this machine's table.
 */
export function openFilesLimit(pids: number, table: number = openFilesTable()): number {
  const share = Math.max(FEWEST_OPEN_FILES, Math.floor(table / 2 / pids));
  return Math.min(MOST_OPEN_FILES, share, hardLimit("Max open files"));
}

/** How many files can be open on this machine. */
export function openFilesTable(): number {
  return Number(readFileSync("/proc/sys/fs/file-max", "latin1"));
}
