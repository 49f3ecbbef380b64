import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

/** The system calls by which a process tells others anything. */
export const writingCalls = ["write", "writev", "sendto", "sendmsg"] as const;

/** Those that move a file or a directory, which other threads of the process make. */
export const movingCalls = ["rename", "renameat", "renameat2"] as const;

/** Whether there is what `injectKill` and `countCalls` need. */
export const canInject = spawnSync("strace", ["--version"]).status === 0;

export interface Injection {
  /** Resolves when the process is gone, or the injection. */
  exited: Promise<unknown>;
  stop(): Promise<unknown>;
}

/**
 * Has the kernel kill the process at the Nth call, from now, of one of these (each kind is counted by itself) in one of its
 * threads; of writing calls, in its first. Resolves when it is set.
 */
export async function injectKill(
  pid: number,
  point: number,
  calls: readonly string[] = writingCalls,
): Promise<Injection> {
  const threads = calls === movingCalls ? ["-f"] : [];
  const rule = `inject=${calls.join()}:signal=SIGKILL:when=${point}`;
  return await trace(pid, [...threads, "-e", `trace=${calls.join()}`, "-e", rule, "-o", "/dev/null"]);
}

export interface Counting extends Injection {
  /** By kind, how many calls the first thread of the process has made. */
  counts(): Promise<Map<string, number>>;
}

/** Counts the writing calls that the process makes from now until `counts` or its end. */
export async function countCalls(pid: number): Promise<Counting> {
  const tracer = await trace(pid, ["-c", "-e", `trace=${writingCalls.join()}`]);
  return { ...tracer, counts: async () => readCounts(await tracer.stop()) };
}

interface Tracer extends Injection {
  /** Answers what it has told. */
  stop(): Promise<string>;
}

async function trace(pid: number, options: readonly string[]): Promise<Tracer> {
  const tracer = spawn("strace", ["-p", `${pid}`, ...options], { stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(tracer, "close");
  const attached = Promise.withResolvers<void>();
  let told = "";
  tracer.stderr.on("data", (chunk) => {
    told += chunk;
    if (/attached/.test(told)) attached.resolve();
  });
  await Promise.race([attached.promise, exited]);
  return {
    exited,
    async stop() {
      tracer.kill("SIGTERM");
      await exited;
      return told;
    },
  };
}

/** Of the table that ends with the name of the call in each line, the number of calls before it. */
function readCounts(table: string): Map<string, number> {
  const rows = table.split("\n").map((line) => line.trim().split(/\s+/));
  return new Map(
    rows.flatMap((row): [string, number][] => {
      const name = row.at(-1) ?? "";
      return (writingCalls as readonly string[]).includes(name) ? [[name, Number(row[3])]] : [];
    }),
  );
}
