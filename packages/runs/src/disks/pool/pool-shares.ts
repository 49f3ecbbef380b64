import type { SandboxShape } from "@berth/sandbox";

/** The number of sandboxes of a shape in the pool. */
export interface Share {
  key: string;
  shape: SandboxShape;
  count: number;
}

/** The weight of each new disk, relative to that of the next newer one. */
const FADING = 0.8;
/** A shape in the pool is given up for a shape that has this many times its weight per sandbox. */
const STAYING = 1.5;

/**
 * Divides a pool among the shapes of the last new disks; recent and frequent shapes get more. Each further
 * sandbox goes to the shape with the highest weight per sandbox.
 *
 * @param shapes newest first.
 * @param keyOf returns null when no sandbox of the shape can be made.
 * @param has the number in the pool, by key.
 */
export function poolShares(
  shapes: readonly SandboxShape[],
  size: number,
  keyOf: (shape: SandboxShape) => string | null,
  has: ReadonlyMap<string, number>,
): Share[] {
  const weighed = new Map<string, Share & { weight: number }>();
  for (const [age, shape] of shapes.entries()) {
    const key = keyOf(shape);
    if (key === null) continue;
    const one = weighed.get(key) ?? { key, shape, count: 0, weight: 0 };
    one.weight += FADING ** age;
    weighed.set(key, one);
  }
  const quotient = ({ key, count, weight }: Share & { weight: number }) =>
    (weight * (count < (has.get(key) ?? 0) ? STAYING : 1)) / (count + 1);
  const all = [...weighed.values()];
  for (let given = 0; given < size && all.length > 0; given += 1) {
    const next = all.reduce((best, one) => (quotient(one) > quotient(best) ? one : best));
    next.count += 1;
  }
  return all.map(({ key, shape, count }) => ({ key, shape, count })).filter(({ count }) => count > 0);
}
