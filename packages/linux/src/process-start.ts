import { readFileSync } from "node:fs";

/**
 * Returns when a process started, in clock ticks since boot, or undefined when it is gone or a zombie. Pids
 * are reused, but pid and start time together identify one process forever.
 */
export function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The program's name is in parentheses and may contain spaces; the start time is the 20th field after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
