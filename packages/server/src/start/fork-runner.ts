/** A door of its own, which loads nothing else: the runner loads beside the service that is going to use it. */
import type { ChildProcess } from "node:child_process";
import { forkProgram } from "../processes/fork-program.ts";
import { childProgram } from "./child-program.ts";

export const RUNNER_PROGRAM = childProgram("runner-process");

/** The process for `serve`. It does nothing before that asks it to, and exits when this process does. */
export function forkRunner(): ChildProcess {
  return forkProgram(RUNNER_PROGRAM);
}
