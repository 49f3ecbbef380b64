const DAY_MS = 86_400_000;

/**
 * Whether tests try only a sample of what they vary: points of kills, container engines, ways to create a
 * sandbox, guides and examples. `script/test` sets `TEST_EFFORT=sampled` on a machine that is too slow for
 * the whole.
 */
export function isSampled(): boolean {
  return process.env.TEST_EFFORT === "sampled";
}

/**
 * Returns why variant number `place` is not tried; false if it is. A sample has one of `every` variants each
 * day (UTC), so that all are tried within `every` days.
 */
export function notInSample(place: number, every: number): string | false {
  return isSampled() && !isTodays(place, every)
    ? `one of ${every} is tried each time; TEST_EFFORT=whole tries all`
    : false;
}

/** Tests that take minutes, by the npm command that runs all of them on any day. */
type Long = "cluster" | "crash" | "engines" | "pods";

/** Whether the run has all tests of this kind, by the variable `TEST_<kind>`. */
export function isWhole(long: Long): boolean {
  return process.env[`TEST_${long.toUpperCase()}`] === "whole";
}

/** Works like `notInSample`, but samples on a fast machine, too. */
export function notTodays(long: Long, place: number, every: number): string | false {
  return isWhole(long) || isTodays(place, every)
    ? false
    : `one of ${every} is run each time; npm run ${long} runs all`;
}

/** Whether variant number `place` is the one of `every` for the day (UTC), or for the one that `TEST_DAY` has. */
export function isTodays(place: number, every: number): boolean {
  const day = Number(process.env.TEST_DAY ?? Math.floor(Date.now() / DAY_MS));
  return (place + day) % every === 0;
}
