import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

/** Whether strace is installed. */
export const CAN_TRACE = spawnSync("strace", ["--version"]).status === 0;

/**
 * Returns a command prefix that records every program that a process and its descendants execute, with all
 * arguments, in a file. The traced process stays the direct child of its starter.
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

/** Returns the recorded trace after the process with this pid has exited. Rejects after a minute. */
export async function readFinishedTrace(file: string, pid: number): Promise<string> {
  const deadline = AbortSignal.timeout(60_000);
  const end = new RegExp(`^${pid} +\\+\\+\\+ (exited|killed)`, "m");
  for (;;) {
    const text = await readFile(file, "utf8");
    if (end.test(text)) return text;
    await pause(20, undefined, { signal: deadline });
  }
}
