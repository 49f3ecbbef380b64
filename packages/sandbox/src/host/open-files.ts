import { readFileSync } from "node:fs";

/** Maximum of the limit. */
export const MOST_OPEN_FILES = 65_536;
/** Minimum of the limit; with fewer open files, ordinary programs fail. */
export const FEWEST_OPEN_FILES = 256;

/**
 * Returns how many files a process of a sandbox may have open. All processes of the sandbox together can then
 * fill at most half of the kernel's table of open files, which the whole machine shares. Where the table has no
 * bound, as systemd sets it, files only count as memory of the sandbox.
 *
 * @param pids The sandbox's process limit.
 * @param table Default: the size of this machine's table.
 */
export function openFilesLimit(pids: number, table: number = openFilesTable()): number {
  const share = Math.max(FEWEST_OPEN_FILES, Math.floor(table / 2 / pids));
  return Math.min(MOST_OPEN_FILES, share);
}

/** Returns how many files can be open on this machine. */
export function openFilesTable(): number {
  return Number(readFileSync("/proc/sys/fs/file-max", "latin1"));
}
