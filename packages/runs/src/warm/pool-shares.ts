import type { SandboxShape } from "@berth/sandbox";

/** How many sandboxes of a shape the pool has. */
export interface Share {
  key: string;
  shape: SandboxShape;
  count: number;
}

/** What each new disk counts of the one after it. */
const FADING = 0.8;
/** A shape that the pool has is given up for one that is needed this much more. */
const STAYING = 1.5;

/**
 * Shares a pool out among the shapes of the last new disks: the later and the more often, the more. Each further sandbox goes to the shape that
 * has the fewest for what it counts.
 *
 * @param shapes newest first.
 * @param keyOf null: none of the shape can be made.
 * @param has how many the pool has, by key.
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
