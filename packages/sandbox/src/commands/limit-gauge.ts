import type { CommandResult } from "../interface/command.ts";
import type { SandboxView } from "./sandbox-view.ts";

/** The kernel's counters for the limits of a sandbox. Never throws: a counter that cannot be read is 0. */
export interface LimitGauge {
  counts(): LimitCounts | Promise<LimitCounts>;
  /** Returns whether more than nine tenths of the allowed processes exist. */
  crowded(): boolean;
}

export interface LimitCounts {
  /** Number of processes that were killed because the sandbox had no memory left. */
  memory: number;
  /** Number of times that no process could start because there were too many. */
  processes: number;
}

/** Finds out which limit a command hit. */
export interface LimitWatch {
  /**
   * Returns the `limit` of `CommandResult`, and whether the command left no room for another process
   * (`crowded`).
   */
  seen(ended: Pick<CommandResult, "ended" | "exitCode">): Promise<{
    limit?: NonNullable<CommandResult["limit"]>;
    crowded: boolean;
  }>;
}

/**
 * Starts watching; call it when a command starts. Limits that concurrent commands hit count as well, since
 * they are the sandbox's.
 */
export function watchLimits(gauge: LimitGauge | undefined, view: SandboxView): LimitWatch {
  const counted = gauge?.counts();
  return {
    async seen({ ended, exitCode }) {
      if (gauge === undefined || counted === undefined) return { crowded: false };
      const before = await counted;
      const after = await gauge.counts();
      if (after.memory > before.memory) return { limit: "memory", crowded: false };
      if (after.processes > before.processes)
        return { limit: "processes", crowded: ended !== "closed" && gauge.crowded() };
      if (ended === "closed" || exitCode === 0 || !(await view.isDiskFull())) return { crowded: false };
      return { limit: "disk", crowded: false };
    },
  };
}
