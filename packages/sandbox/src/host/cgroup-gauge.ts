import { readFileSync } from "node:fs";

/** What the kernel has counted of a sandbox's limits. Never throws: where it cannot be asked, nothing has happened. */
export interface LimitGauge {
  counts(): LimitCounts;
  /** Hardly another process can be started. */
  crowded(): boolean;
}

/** How often so far. */
export interface LimitCounts {
  /** A process was killed because the sandbox had no memory left. */
  memory: number;
  /** A process could not be started because there were too many. */
  processes: number;
}

/**
 * Reads what the groups of one sandbox count.
 *
 * @param memory Directory of the group that limits memory, undefined where none does.
 * @param pids The same for processes.
 */
export function cgroupGauge(memory: string | undefined, pids: string | undefined): LimitGauge {
  return {
    counts: () => ({
      // Version 2 has the first, version 1 the second.
      memory: count(memory, "memory.events", "oom_kill") || count(memory, "memory.oom_control", "oom_kill"),
      processes: count(pids, "pids.events", "max"),
    }),
    crowded: () => {
      const most = Number(read(pids, "pids.max"));
      return most > 0 && Number(read(pids, "pids.current")) >= most * 0.9;
    },
  };
}

function count(directory: string | undefined, file: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(read(directory, file))?.[1] ?? 0);
}

/** At once: the kernel answers from memory, and the group may be gone a moment later. */
function read(directory: string | undefined, file: string): string {
  try {
    return directory === undefined ? "" : readFileSync(`${directory}/${file}`, "latin1");
  } catch {
    return "";
  }
}
