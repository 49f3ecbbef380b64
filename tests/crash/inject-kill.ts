import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

/** The system calls by which a process tells others anything. */
export const writingCalls = ["write", "writev", "sendto", "sendmsg"] as const;

/** Whether there is what `injectKill` needs. */
export const canInject = spawnSync("strace", ["--version"]).status === 0;

/** Has the kernel kill the process at its Nth call, from now, of one of these. Resolves when it is set. */
export async function injectKill(
  pid: number,
  point: number,
  calls: readonly string[] = writingCalls,
): Promise<{ stop(): Promise<unknown> }> {
  const rule = `inject=${calls.join()}:signal=SIGKILL:when=${point}`;
  const tracer = spawn(
    "strace",
    ["-p", `${pid}`, "-e", `trace=${calls.join()}`, "-e", rule, "-o", "/dev/null"],
    {
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const exited = once(tracer, "exit");
  const attached = Promise.withResolvers<void>();
  tracer.stderr.on("data", (chunk) => /attached/.test(`${chunk}`) && attached.resolve());
  await Promise.race([attached.promise, exited]);
  return {
    stop: () => {
      tracer.kill("SIGTERM");
      return exited;
    },
  };
}
