import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { processStart } from "@berth/linux";

/**
 * The pids of processes of a cluster's server that its postmaster, which was killed, has left. They end by themselves within moments,
 * but for one that is frozen or waits for another that has ended. None while a postmaster lives, or in another container, whose
 * processes may be visible from here.
 */
export function leftoversOf(cluster: string): number[] {
  const pids = readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && isServerProcess(pid, cluster));
  const hasPostmaster = pids.some((pid) => pids.includes(parentOf(pid)));
  return hasPostmaster ? [] : pids;
}

/** How long the end of killed processes is waited for: the kernel may hold one that writes. */
const END_LIMIT_MS = 5_000;
const LOOK_MS = 10;

/** Kills leftovers of a cluster's server, and waits until they have ended. */
export async function endLeftoversOf(cluster: string): Promise<void> {
  const pids = leftoversOf(cluster);
  endLeftovers(pids);
  const deadline = performance.now() + END_LIMIT_MS;
  while (pids.some((pid) => processStart(pid) !== undefined) && performance.now() < deadline)
    await pause(LOOK_MS);
}

/** Kills leftovers. Nothing is lost by that: the next start recovers as after any crash. */
export function endLeftovers(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/** A server's processes work in the directory of their cluster. */
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
