import { readFileSync } from "node:fs";
import type { LimitGauge } from "../commands/limit-gauge.ts";

/**
 * Returns a gauge that reads the counters of a sandbox's control groups.
 *
 * @param memory Directory of the group that limits memory; undefined for none.
 * @param pids Directory of the group that limits processes; undefined for none.
 */
export function cgroupGauge(memory: string | undefined, pids: string | undefined): LimitGauge {
  return {
    counts: () => ({
      // The first file is that of cgroup version 2, the second that of version 1.
      memory: count(memory, "memory.events", "oom_kill") || count(memory, "memory.oom_control", "oom_kill"),
      processes: count(pids, "pids.events", "max"),
    }),
    crowded: () => {
      const max = Number(read(pids, "pids.max"));
      return max > 0 && Number(read(pids, "pids.current")) >= max * 0.9;
    },
  };
}

function count(directory: string | undefined, file: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(read(directory, file))?.[1] ?? 0);
}

/** Reads synchronously: the kernel reads from memory, and the group may be removed a moment later. */
function read(directory: string | undefined, file: string): string {
  try {
    return directory === undefined ? "" : readFileSync(`${directory}/${file}`, "latin1");
  } catch {
    return "";
  }
}
