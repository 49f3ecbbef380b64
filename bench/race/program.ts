import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { descendantsOf, isAlive } from "../../tests/crash/processes.ts";

const MAX_START_MS = 60_000;
const MAX_END_MS = 5_000;
const PROBE_INTERVAL_MS = 20;

export interface Program {
  pid: number;
  stop(): Promise<void>;
}

/**
 * Starts a program without this process's environment, and resolves when `url` responds with 200.
 *
 * @throws with its last output if it ends before or takes a minute.
 */
export async function startProgram(
  command: readonly [string, ...string[]],
  { cwd, env, url }: { cwd: string; env: Record<string, string>; url: string },
): Promise<Program> {
  const [file, ...args] = command;
  const child = spawn(file, args, {
    cwd,
    env: { PATH: `${process.env.PATH}`, HOME: cwd, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-600);
    });
  const failed = Promise.race([
    once(child, "exit").then(([code]) => `it ended with ${code}`),
    pause(MAX_START_MS, "no request was answered for a minute", { ref: false }),
  ]);
  const failure = await Promise.race([failed, answer(url, failed)]);
  if (failure !== null) {
    await stopTree(child);
    throw new Error(`did not start: ${failure}: ${output.trim().replaceAll(/\s+/g, " ")}`);
  }
  return { pid: child.pid ?? 0, stop: () => stopTree(child) };
}

/**
 * Resolves with null at the first response. Requests are sent independently, since one that arrives before a
 * server has its handlers may never get a response, as with opencode.
 */
async function answer(url: string, failed: Promise<unknown>): Promise<null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const end = new AbortController();
  const probe = async () => {
    const { ok } = await fetch(url, { signal: end.signal });
    if (ok) resolve(null);
  };
  const timer = setInterval(() => void probe().catch(() => {}), PROBE_INTERVAL_MS);
  await Promise.race([promise, failed]).catch(() => {});
  clearInterval(timer);
  end.abort();
  return await promise;
}

/** Ends a process and its descendants, with SIGKILL if a signal does not suffice. */
async function stopTree(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  const left = [child.pid, ...descendantsOf(child.pid)];
  const ended = child.exitCode ?? child.signalCode ?? once(child, "exit");
  child.kill("SIGTERM");
  await Promise.race([ended, pause(MAX_END_MS, null, { ref: false })]);
  for (const pid of left) if (isAlive(pid)) process.kill(pid, "SIGKILL");
}
