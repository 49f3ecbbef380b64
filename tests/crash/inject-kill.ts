import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { signalIfAlive } from "./processes.ts";

/** The system calls that write to files and sockets. */
export const WRITE_CALLS = ["write", "writev", "sendto", "sendmsg"] as const;

/** The system calls that rename files; other threads of the process make them. */
export const RENAME_CALLS = ["rename", "renameat", "renameat2"] as const;

/** Whether strace is installed, which `injectKill` and `countCalls` need. */
export const CAN_INJECT = spawnSync("strace", ["--version"]).status === 0;

/** An attached strace that kills the process. */
export interface Injection {
  /** Resolves when the process has ended or the injection has been stopped. */
  exited: Promise<unknown>;
  stop(): Promise<unknown>;
}

/**
 * Makes the kernel kill the process at its Nth call of one of these kinds from now on. Kinds and processes
 * are counted separately; write calls in the main thread only, renames in all threads. Resolves when strace
 * is attached.
 */
export async function injectKill(
  pid: number | readonly number[],
  point: number,
  calls: readonly string[] = WRITE_CALLS,
): Promise<Injection> {
  const threads = calls === RENAME_CALLS ? ["-f"] : [];
  return await trace(pid, [...threads, ...injecting("SIGKILL", point, calls), "-o", "/dev/null"]);
}

/** An attached strace that stops the process instead of killing it. */
export interface Freeze extends Injection {
  /** Resolves when a process has stopped. */
  stopped: Promise<unknown>;
}

/**
 * Works like `injectKill`, but stops the process after the call, so that others can be killed at the same
 * point. The process continues when the injection is stopped.
 */
export async function injectStop(
  pids: readonly number[],
  point: number,
  calls: readonly string[],
): Promise<Freeze> {
  const stopped = Promise.withResolvers<void>();
  const tracer = await trace(pids, injecting("SIGSTOP", point, calls), (output) => {
    if (/stopped by SIGSTOP/.test(output)) stopped.resolve();
  });
  return {
    ...tracer,
    stopped: stopped.promise,
    async stop() {
      await tracer.stop();
      for (const pid of pids) signalIfAlive(pid, "SIGCONT");
    },
  };
}

function injecting(signal: NodeJS.Signals, point: number, calls: readonly string[]): string[] {
  const kinds = calls.join();
  return ["-e", `trace=${kinds}`, "-e", `inject=${kinds}:signal=${signal}:when=${point}`];
}

/** An attached strace that counts system calls. */
export interface Counting extends Injection {
  /** Stops counting and returns the number of calls of the main thread, by kind. */
  counts(): Promise<Map<string, number>>;
}

/** Counts the write calls of the process from now until `counts` or its end. */
export async function countCalls(pid: number): Promise<Counting> {
  const tracer = await trace(pid, ["-c", "-e", `trace=${WRITE_CALLS.join()}`]);
  return { ...tracer, counts: async () => readCounts(await tracer.stop()) };
}

interface Tracer extends Injection {
  /** Detaches strace and returns its stderr. */
  stop(): Promise<string>;
}

async function trace(
  pid: number | readonly number[],
  options: readonly string[],
  onOutput: (output: string) => void = () => undefined,
): Promise<Tracer> {
  const pids = [pid].flat();
  const targets = pids.flatMap((one) => ["-p", `${one}`]);
  const tracer = spawn("strace", [...targets, ...options], { stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(tracer, "close");
  const attached = Promise.withResolvers<void>();
  let output = "";
  tracer.stderr.on("data", (chunk) => {
    output += chunk;
    if ((output.match(/ attached/g)?.length ?? 0) >= pids.length) attached.resolve();
    onOutput(output);
  });
  await Promise.race([attached.promise, exited]);
  return {
    exited,
    async stop() {
      tracer.kill("SIGTERM");
      await exited;
      return output;
    },
  };
}

/** Parses the table of `strace -c` into the number of calls by name. */
function readCounts(table: string): Map<string, number> {
  const rows = table.split("\n").map((line) => line.trim().split(/\s+/));
  return new Map(
    rows.flatMap((row): [string, number][] => {
      const name = row.at(-1) ?? "";
      return (WRITE_CALLS as readonly string[]).includes(name) ? [[name, Number(row[3])]] : [];
    }),
  );
}
