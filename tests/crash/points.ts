import { isSampled, isWhole } from "../effort/effort.ts";
import { randomFrom } from "./seed.ts";

/** Of a turn, which has hundreds; each run tries others. */
const WHOLE = 16;
const USUAL = 8;

/** How many points a test tries: `sampled` where there is little time. */
export function pointsToTry(sampled: number): number {
  if (isWhole("crash")) return WHOLE;
  return isSampled() ? sampled : USUAL;
}

/** One element of each of `max` equal parts of the list, each at most once. */
export function sample<T>(all: readonly T[], max: number, seed: number): T[] {
  if (all.length <= max) return [...all];
  const random = randomFrom(seed);
  const places = Array.from({ length: max }, (_, index) =>
    Math.floor(((index + random()) * all.length) / max),
  );
  return all.filter((_, place) => places.includes(place));
}
