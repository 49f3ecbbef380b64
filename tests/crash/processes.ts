import { readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { readOrEmpty } from "../acceptance/harness/read-or-empty.ts";

/** The processes of a service. */
export type Part = "api" | "runner" | "postgres";

/**
 * Returns the pid of a part of the service; null when it does not run. The API is the main process and the
 * runner its child. PostgreSQL's pid is read from its pid file, since it survives a kill of the main process.
 */
export function pidOf(service: { pid: number; dataDir: string }, part: Part): number | null {
  if (part === "api") return service.pid;
  if (part === "runner") {
    return childrenOf(service.pid).find((pid) => /runner-process/.test(commandOf(pid))) ?? null;
  }
  return Number.parseInt(readOrEmpty(`${service.dataDir}/postgres/cluster/postmaster.pid`), 10) || null;
}

/**
 * Long, since on a loaded machine a start can take most of a minute, after the rest of a killed part has
 * ended.
 */
const MAX_START_MS = 180_000;
/** The interval is not shorter because each check reads /proc of all processes. */
const LOOK_INTERVAL_MS = 50;

/**
 * Resolves with the pid of a part once it runs; the service restarts a killed part. A failure includes the
 * service's log.
 */
export async function waitForPid(
  service: { pid: number; dataDir: string; log?: string },
  part: Part,
): Promise<number> {
  const deadline = performance.now() + MAX_START_MS;
  for (;;) {
    const pid = pidOf(service, part);
    if (pid !== null && isAlive(pid)) return pid;
    if (performance.now() > deadline)
      throw new Error(`the ${part} did not start in time:\n${(service.log ?? "").slice(-2_000)}`);
    await pause(LOOK_INTERVAL_MS);
  }
}

/** Kills the runner and waits until it is gone. The service then starts another one. */
export async function killRunner(service: { pid: number; dataDir: string }): Promise<void> {
  const runner = await waitForPid(service, "runner");
  process.kill(runner, "SIGKILL");
  while (isAlive(runner)) await pause(5);
}

/** Kills the runner processes, of which a cluster has several. Their services start others. */
export function killRunners(service: { pid: number }): void {
  const parents = parentsOfAll();
  const isOfService = (pid: number): boolean =>
    pid === service.pid || (parents.has(pid) && isOfService(parents.get(pid) as number));
  const runners = [...parents.keys()].filter(
    (pid) => /runner-process/.test(commandOf(pid)) && isOfService(pid),
  );
  if (runners.length === 0) throw new Error("No process runs sessions.");
  for (const runner of runners) process.kill(runner, "SIGKILL");
}

/** Returns all descendants of a process, without itself. */
export function descendantsOf(root: number): number[] {
  return childrenOf(root).flatMap((pid) => [pid, ...descendantsOf(pid)]);
}

export function isAlive(pid: number): boolean {
  const state = /^\d+ \(.*\) (\S)/s.exec(readOrEmpty(`/proc/${pid}/stat`))?.[1];
  return state !== undefined && state !== "Z" && state !== "X";
}

/** Sends a signal; does nothing if the process has ended. */
export function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Returns the direct children of a process. */
export function childrenOf(parent: number): number[] {
  return [...parentsOfAll()].flatMap(([pid, of]) => (of === parent ? [pid] : []));
}

/** Returns the parent of each process. */
function parentsOfAll(): Map<number, number> {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return new Map(
    pids.map((pid) => [Number(pid), Number(/\) \S (\d+)/.exec(readOrEmpty(`/proc/${pid}/stat`))?.[1])]),
  );
}

/** Returns the command line of a process, separated by spaces. */
export function commandOf(pid: number): string {
  return readOrEmpty(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
}
