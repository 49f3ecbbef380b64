/** Separate entry point that imports nothing else, so that the runner can load while the service does. */
import type { ChildProcess } from "node:child_process";
import { extname, join } from "node:path";
import { forkProgram } from "../processes/fork-program.ts";

/**
 * Path of the runner's program: in the directory of this file, with the same extension. In a bundle that is
 * the directory of the bundle.
 */
export const RUNNER_PROGRAM = join(import.meta.dirname, `runner-process${extname(import.meta.filename)}`);

/** Forks the runner for `serve`. It does nothing until `serve` calls it, and exits when this process does. */
export function forkRunner(): ChildProcess {
  return forkProgram(RUNNER_PROGRAM);
}
