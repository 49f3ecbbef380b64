import { readFileSync } from "node:fs";

/**
 * Returns how many processes the kernel has killed since boot for lack of memory, of the machine or of a
 * control group. Returns 0 where the kernel does not report it.
 */
export function oomKills(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync("/proc/vmstat", "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
