import { readFileSync } from "node:fs";

/**
 * The instant a process started, in clock ticks since boot, or undefined when it is gone or a zombie. Together with the pid it
 * names one process for ever, while a pid alone is reused.
 */
export function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The program's name is in parentheses and may hold spaces; the start time is the 20th field after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
