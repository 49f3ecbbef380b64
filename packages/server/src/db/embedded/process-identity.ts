import { readFileSync, readlinkSync } from "node:fs";

/**
 * The instant a process began, in clock ticks since the machine's start, or undefined when it is gone (or a zombie).
 * Together with the pid it names one process for ever, while a pid alone is given out again.
 */
export function startedAt(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** Whether `pid` is a living PostgreSQL server of the cluster at `directory` (a server works inside its cluster). */
export function isPostgresOf(pid: number, directory: string): boolean {
  if (startedAt(pid) === undefined) return false;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === directory;
  } catch {
    return commandOf(pid) === "postgres";
  }
}

function commandOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return undefined;
  }
}
