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

/** The same of tests with pods, of which `npm run pods` tries all. */
export function notTodaysPods(place: number, every: number): string | false {
  return process.env.TEST_PODS === "whole" || isTodays(place, every)
    ? false
    : `one of ${every} is run each day; npm run pods runs all`;
}

export function isTodays(place: number, every: number): boolean {
  return (place + Math.floor(Date.now() / DAY_MS)) % every === 0;
}
