const DAY_MS = 86_400_000;

/**
 * How much is tried of what tests vary: the points at which they kill processes, container engines, ways to create a sandbox, guides and
 * examples.
 * `TEST_EFFORT=sampled` tries a part, which `script/test` asks for on a machine where the whole would take longer than CI waits.
 */
export function isSampled(): boolean {
  return process.env.TEST_EFFORT === "sampled";
}

/**
 * Why the `place`-th of what a test varies is not tried, or false. Of a sample, one of `every` is tried each day (UTC), and all of them
 * within `every` days.
 */
export function notInSample(place: number, every: number): string | false {
  return isSampled() && !isTodays(place, every)
    ? `one of ${every} is tried each day; TEST_EFFORT=whole tries all`
    : false;
}

/** What takes minutes by itself, by the command that tries all of it whatever the day. */
type Long = "cluster" | "crash" | "engines" | "pods";

export function isWhole(long: Long): boolean {
  return process.env[`TEST_${long.toUpperCase()}`] === "whole";
}

/** As `notInSample`, also on a fast machine. */
export function notTodays(long: Long, place: number, every: number): string | false {
  return isWhole(long) || isTodays(place, every)
    ? false
    : `one of ${every} is run each day; npm run ${long} runs all`;
}

/** Whether the `place`-th is the one of `every` that is tried on the day (UTC) of `now`. */
export function isTodays(place: number, every: number, now = Date.now()): boolean {
  return (place + Math.floor(now / DAY_MS)) % every === 0;
}
