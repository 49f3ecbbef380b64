import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

/** Whether there is what `straceCommand` needs. */
export const CAN_TRACE = spawnSync("strace", ["--version"]).status === 0;

/**
 * The command under which a program has every program that it and its descendants start written to a file, with all
 * arguments, however short they live. The program stays the child of who starts it.
 */
export function straceCommand(file: string): string[] {
  const calls = "trace=execve,execveat";
  return [
    "strace",
    "-D",
    "-f",
    "--seccomp-bpf",
    "-s",
    "1000000",
    "-e",
    calls,
    "-e",
    "signal=none",
    "-o",
    file,
  ];
}

/** What was written, once the process with this pid and all that it started have ended. */
export async function readFinishedTrace(file: string, pid: number): Promise<string> {
  const deadline = AbortSignal.timeout(60_000);
  const end = new RegExp(`^${pid} +\\+\\+\\+ (exited|killed)`, "m");
  for (;;) {
    const text = await readFile(file, "utf8");
    if (end.test(text)) return text;
    await pause(20, undefined, { signal: deadline });
  }
}
