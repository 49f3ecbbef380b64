import { statfs } from "node:fs/promises";
import type { LimitGauge } from "../host/cgroup-gauge.ts";
import type { CommandResult } from "../interface/command.ts";

/** Tells which limit a command has met. */
export interface LimitWatch {
  /** What `CommandResult` tells of it, and whether the command has left the sandbox without room for another process. */
  seen(ended: Pick<CommandResult, "ended" | "exitCode">): Promise<{
    limit?: NonNullable<CommandResult["limit"]>;
    crowded: boolean;
  }>;
}

/**
 * Begins with a command. What other commands that run beside it meet counts as well: limits are those of the sandbox.
 *
 * @param init Host pid of process 1, through whose root the disk is looked at: the path lies in no place that the agent writes.
 */
export function watchLimits(gauge: LimitGauge | undefined, init: number): LimitWatch {
  const before = gauge?.counts();
  return {
    async seen({ ended, exitCode }) {
      if (gauge === undefined || before === undefined) return { crowded: false };
      const after = gauge.counts();
      if (after.memory > before.memory) return { limit: "memory", crowded: false };
      if (after.processes > before.processes)
        return { limit: "processes", crowded: ended !== "closed" && gauge.crowded() };
      if (ended === "closed" || exitCode === 0 || !(await isFull(`/proc/${init}/root/data`)))
        return { crowded: false };
      return { limit: "disk", crowded: false };
    },
  };
}

/** A filesystem that refused a block has a few again once what waited in memory is written. */
const FULL_BYTES = 256 * 1024;

async function isFull(path: string): Promise<boolean> {
  const found = await statfs(path).catch(() => null);
  if (found === null) return false;
  const { bavail, bsize, ffree, files } = found;
  return bavail * bsize < FULL_BYTES || (files > 0 && ffree === 0);
}
