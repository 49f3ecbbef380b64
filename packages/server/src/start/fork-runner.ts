/** Separate entry point that imports nothing else, so that the runner can load while the service does. */
import type { ChildProcess } from "node:child_process";
import { forkProgram } from "../processes/fork-program.ts";
import { childProgram } from "./child-program.ts";

export const RUNNER_PROGRAM = childProgram("runner-process");

/** Forks the runner for `serve`. It does nothing until `serve` calls it, and exits when this process does. */
export function forkRunner(): ChildProcess {
  return forkProgram(RUNNER_PROGRAM);
}
