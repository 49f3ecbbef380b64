import { readFileSync } from "node:fs";

/** Users may observe their own processes, and not the kernel. */
const OWN_PROCESSES = "2";

/**
 * Returns whether the kernel lets users open performance counters of their own processes only, without what
 * the kernel does for them. A lower `kernel.perf_event_paranoid` shows more of the machine, and a higher one
 * shows nothing.
 */
export function perfIsBounded(): boolean {
  try {
    return readFileSync("/proc/sys/kernel/perf_event_paranoid", "latin1").trim() === OWN_PROCESSES;
  } catch {
    return false;
  }
}
