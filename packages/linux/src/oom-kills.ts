import { readFileSync } from "node:fs";

/** How many processes the kernel has killed since it started, for want of memory of the machine or of a control group; 0 where it does not tell. */
export function oomKills(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync("/proc/vmstat", "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
