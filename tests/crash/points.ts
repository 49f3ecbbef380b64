import { isSampled, isWhole } from "../effort/effort.ts";
import { randomFrom } from "./seed.ts";

/** The points of a turn that are tried, of hundreds; each run tries others. */
const WHOLE = 16;
const USUAL = 8;

/** Returns how many points a test tries; `sampled` in a sampled run. */
export function pointsToTry(sampled: number): number {
  if (isWhole("crash")) return WHOLE;
  return isSampled() ? sampled : USUAL;
}

/** Returns one element from each of `max` equal parts of the list. */
export function sample<T>(all: readonly T[], max: number, seed: number): T[] {
  if (all.length <= max) return [...all];
  const random = randomFrom(seed);
  const places = Array.from({ length: max }, (_, index) =>
    Math.floor(((index + random()) * all.length) / max),
  );
  return all.filter((_, place) => places.includes(place));
}
