import { statfs } from "node:fs/promises";
import type { LimitGauge } from "../host/cgroup-gauge.ts";
import type { CommandResult } from "../interface/command.ts";

/** Finds out which limit a command met. */
export interface LimitWatch {
  /** The `limit` of `CommandResult`, and whether the command left no room for another process (`crowded`). */
  seen(ended: Pick<CommandResult, "ended" | "exitCode">): Promise<{
    limit?: NonNullable<CommandResult["limit"]>;
    crowded: boolean;
  }>;
}

/**
 * To be called when a command starts. Limits that concurrent commands meet count as well: they are the sandbox's.
 *
 * @param init Host pid of process 1, through whose root the disk is read: the agent cannot write any part of that path.
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

/** A full filesystem has some free blocks again once delayed writes are done. */
const FULL_BYTES = 256 * 1024;

async function isFull(path: string): Promise<boolean> {
  const found = await statfs(path).catch(() => null);
  if (found === null) return false;
  const { bavail, bsize, ffree, files } = found;
  return bavail * bsize < FULL_BYTES || (files > 0 && ffree === 0);
}
