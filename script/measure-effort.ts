import { spawnSync } from "node:child_process";

export type Effort = "whole" | "sampled";

/**
 * Milliseconds of one start of Node above which a machine is slow; 25 is usual. At 110, the whole suite
 * exceeds CI's 90 minutes.
 */
const SLOW_MS = 60;
const STARTS = 5;

/**
 * Returns which tests to run.
 *
 * @param given `TEST_EFFORT`. Without it, the speed of the machine decides.
 * @param timeStarts Returns the durations of some starts of Node, in milliseconds.
 */
export function effortFor(given: string | undefined, timeStarts: () => readonly number[]): Effort {
  if (given === "whole" || given === "sampled") return given;
  return Math.min(...timeStarts()) < SLOW_MS ? "whole" : "sampled";
}

/** Returns the durations of some starts of Node, in milliseconds. */
export function timeNodeStarts(): number[] {
  return Array.from({ length: STARTS }, () => {
    const began = performance.now();
    spawnSync(process.execPath, ["-e", "0"]);
    return performance.now() - began;
  });
}
