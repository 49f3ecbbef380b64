import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { processStart } from "@berth/linux";

/**
 * Returns the pids of a cluster's server processes that their killed postmaster has left. They end by
 * themselves within moments, unless one is frozen or waits for another that has ended. Returns none while a
 * postmaster lives. Processes of another container do not count, though they may be visible from here.
 */
export function leftoversOf(cluster: string): number[] {
  const pids = readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && isServerProcess(pid, cluster));
  const hasPostmaster = pids.some((pid) => pids.includes(parentOf(pid)));
  return hasPostmaster ? [] : pids;
}

/** Milliseconds to wait for the end of killed processes. The kernel may delay one that is writing. */
const END_LIMIT_MS = 5_000;
const LOOK_MS = 10;

/** Kills leftover processes of a cluster's server, and waits up to `END_LIMIT_MS` for their end. */
export async function endLeftoversOf(cluster: string): Promise<void> {
  const pids = leftoversOf(cluster);
  endLeftovers(pids);
  const deadline = performance.now() + END_LIMIT_MS;
  while (pids.some((pid) => processStart(pid) !== undefined) && performance.now() < deadline)
    await pause(LOOK_MS);
}

/** Kills leftover processes. Nothing is lost: the next start recovers as after any crash. */
export function endLeftovers(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/**
 * Returns whether the process belongs to the cluster's server. All of them have the cluster as their working
 * directory.
 */
function isServerProcess(pid: number, cluster: string): boolean {
  try {
    return (
      readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "postgres" &&
      readlinkSync(`/proc/${pid}/cwd`) === cluster &&
      readlinkSync(`/proc/${pid}/ns/pid`) === readlinkSync("/proc/self/ns/pid") &&
      processStart(pid) !== undefined
    );
  } catch {
    return false;
  }
}

function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return 0;
  }
}
