import { spawnSync } from "node:child_process";

export type Effort = "whole" | "sampled";

/** How long one start of Node takes: 25 ms on a usual machine. Where it takes 110, the whole suite takes longer than CI's 90 minutes. */
const SLOW_MS = 60;
const STARTS = 5;

/**
 * @param given `TEST_EFFORT`. Without it, the speed of the machine decides.
 * @param timeStarts How long some starts of Node take, in milliseconds.
 */
export function effortFor(given: string | undefined, timeStarts: () => readonly number[]): Effort {
  if (given === "whole" || given === "sampled") return given;
  return Math.min(...timeStarts()) < SLOW_MS ? "whole" : "sampled";
}

export function timeNodeStarts(): number[] {
  return Array.from({ length: STARTS }, () => {
    const began = performance.now();
    spawnSync(process.execPath, ["-e", "0"]);
    return performance.now() - began;
  });
}
