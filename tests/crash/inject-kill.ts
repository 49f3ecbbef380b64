import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

/** The system calls by which a process tells others anything. */
export const writingCalls = ["write", "writev", "sendto", "sendmsg"] as const;

/** Those that move a file or a directory, which other threads of the process make. */
export const movingCalls = ["rename", "renameat", "renameat2"] as const;

/** Whether there is what `injectKill` needs. */
export const canInject = spawnSync("strace", ["--version"]).status === 0;

export interface Injection {
  /** Resolves when the process is gone, or the injection. */
  exited: Promise<unknown>;
  stop(): Promise<unknown>;
}

/**
 * Has the kernel kill the process at the Nth call, from now, of one of these in one of its threads; of writing calls, in its
 * first. Resolves when it is set.
 */
export async function injectKill(
  pid: number,
  point: number,
  calls: readonly string[] = writingCalls,
): Promise<Injection> {
  const rule = `inject=${calls.join()}:signal=SIGKILL:when=${point}`;
  const tracer = spawn(
    "strace",
    [
      ...(calls === movingCalls ? ["-f"] : []),
      "-p",
      `${pid}`,
      "-e",
      `trace=${calls.join()}`,
      "-e",
      rule,
      "-o",
      "/dev/null",
    ],
    {
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const exited = once(tracer, "exit");
  const attached = Promise.withResolvers<void>();
  tracer.stderr.on("data", (chunk) => /attached/.test(`${chunk}`) && attached.resolve());
  await Promise.race([attached.promise, exited]);
  return {
    exited,
    stop: () => {
      tracer.kill("SIGTERM");
      return exited;
    },
  };
}
