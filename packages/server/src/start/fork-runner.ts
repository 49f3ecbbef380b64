/** A door of its own, which loads nothing else: the runner loads beside the service that is going to use it. */
import type { ChildProcess } from "node:child_process";
import { extname, join } from "node:path";
import { forkProgram } from "../processes/fork-program.ts";

/** Beside this file, and TypeScript or JavaScript as it is. */
export const RUNNER_PROGRAM = join(import.meta.dirname, `runner-process${extname(import.meta.filename)}`);

/** The process for `serve`. It does nothing before that asks it to, and exits when this process does. */
export function forkRunner(): ChildProcess {
  return forkProgram(RUNNER_PROGRAM);
}
