import type { Capability } from "@berth/sandbox";
import { readCeilings, sharedLimits } from "../config/ceilings.ts";
import type { Config } from "../config/config.ts";

const MEBIBYTE = 1024 * 1024;

/** Reports the maximum resources that an environment can request. */
export function describeCeilings(config: Config): Capability {
  const name = "ceilings";
  try {
    const { cpus, memory_mb, pids, disk_mb } = readCeilings(config);
    const detail = `An environment can ask for at most ${cpus} processors, ${memory_mb} MiB of memory, ${pids} processes and ${disk_mb} MiB of disk.`;
    if (config.sandbox === "kubernetes")
      return { name, state: "yes", detail: `${detail} A pod that fits on no node does not start.` };
    if (config.role === "api")
      return { name, state: "yes", detail: `${detail} A runner lowers what exceeds its machine.` };
    const together = sharedLimits();
    if (memory_mb * MEBIBYTE <= together.memoryBytes && pids <= together.pids)
      return { name, state: "yes", detail };
    const advice =
      "This is more than all sessions together can have. Lower BERTH_MAX_MEMORY_MB or BERTH_MAX_PIDS.";
    return { name, state: "degraded", detail: `${detail} ${advice}` };
  } catch (error) {
    return { name, state: "no", detail: `The machine could not be examined: ${(error as Error).message}` };
  }
}
