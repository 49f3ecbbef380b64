import { readOrEmpty } from "../tests/acceptance/harness/read-or-empty.ts";
import { descendantsOf } from "../tests/crash/processes.ts";

/**
 * Returns the proportional set size of a process tree in MiB: a page that several processes share counts
 * once.
 */
export function memory(root: number): number {
  const kilobytes = [root, ...descendantsOf(root)].map((pid) =>
    Number(/^Pss:\s+(\d+)/m.exec(readOrEmpty(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0),
  );
  return kilobytes.reduce((sum, value) => sum + value, 0) / 1024;
}
