import { type ChildProcess, fork } from "node:child_process";

/** Starts a program with a channel for calls. It loads at once, and waits for the first call. */
export function forkProgram(program: string): ChildProcess {
  return fork(program, { stdio: ["ignore", "inherit", "inherit", "ipc"], serialization: "advanced" });
}
