import { spawnSync } from "node:child_process";
import { EXIT_CODES } from "../../../shared/exit-codes.ts";
import { UsageError } from "../../../shared/failure.ts";
import { printLine } from "../../../terminal/print.ts";

/** One change of the machine. */
export interface Step {
  /** Description of the step, in the imperative. */
  what: string;
  act(): void;
  /** Reverts the step when a later one fails. */
  undo?: () => void;
}

/** Prints and, unless it is a dry run, takes the steps. A failure reverts them. @throws UsageError */
export function takeSteps(steps: readonly Step[], isDryRun: boolean): void {
  const taken: Step[] = [];
  for (const step of steps) {
    printLine(isDryRun ? `Would ${step.what}.` : `${step.what[0]?.toUpperCase()}${step.what.slice(1)}.`);
    if (isDryRun) continue;
    taken.unshift(step);
    try {
      step.act();
    } catch (error) {
      for (const { undo } of taken) attempt(undo);
      throw new UsageError(
        `To ${step.what} failed: ${(error as Error).message} The steps before it were undone.`,
        EXIT_CODES.failed,
      );
    }
  }
}

/** Reverts a step. Ignores errors, since a step that failed cannot always be reverted. */
function attempt(undo: (() => void) | undefined): void {
  try {
    undo?.();
  } catch {}
}

/** Runs a program of the system. @throws Error with the last line of its error output if it fails. */
export function runProgram(program: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (status === 0) return;
  throw new Error(error?.message ?? stderr.trim().split("\n").at(-1) ?? `${program} ended with ${status}.`);
}
