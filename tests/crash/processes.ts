import { readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { readOrEmpty } from "../acceptance/harness/read-or-empty.ts";

/** The parts of a service, found as an operator would: by the tree of processes below it. */
export type Part = "api" | "runner" | "postgres";

/**
 * The pid of a part of the service; null when it does not run. The API is the main process, the runner is its child, and
 * PostgreSQL says for itself, since it outlives a main process that was killed.
 */
export function pidOf(service: { pid: number; dataDir: string }, part: Part): number | null {
  if (part === "api") return service.pid;
  if (part === "runner") {
    return childrenOf(service.pid).find((pid) => /runner-process/.test(commandOf(pid))) ?? null;
  }
  return Number.parseInt(readOrEmpty(`${service.dataDir}/postgres/cluster/postmaster.pid`), 10) || null;
}

/** The pid of that part as soon as it runs: one that was killed is started again. */
export async function livingPid(service: { pid: number; dataDir: string }, part: Part): Promise<number> {
  for (let tries = 0; tries < 6_000; tries++) {
    const pid = pidOf(service, part);
    if (pid !== null && isAlive(pid)) return pid;
    await pause(10);
  }
  throw new Error(`The ${part} did not come back.`);
}

/** Kills the runner and waits until it is gone. Another is started by the service. */
export async function endRunner(service: { pid: number; dataDir: string }): Promise<void> {
  const runner = await livingPid(service, "runner");
  process.kill(runner, "SIGKILL");
  while (isAlive(runner)) await pause(5);
}

/** Every process below `root`, itself not included. */
export function descendantsOf(root: number): number[] {
  return childrenOf(root).flatMap((pid) => [pid, ...descendantsOf(pid)]);
}

export function isAlive(pid: number): boolean {
  const state = /^\d+ \(.*\) (\S)/s.exec(readOrEmpty(`/proc/${pid}/stat`))?.[1];
  return state !== undefined && state !== "Z" && state !== "X";
}

/** The processes whose parent this is. */
export function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => Number(/\) \S (\d+)/.exec(readOrEmpty(`/proc/${pid}/stat`))?.[1]) === parent);
}

/** The command line of a process, its words parted by spaces. */
export function commandOf(pid: number): string {
  return readOrEmpty(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
}
