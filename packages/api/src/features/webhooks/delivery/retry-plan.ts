const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** When an event is tried, in milliseconds after the first try. */
export const TRIES_MS: readonly number[] = [
  ...[0, 5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
];

/**
 * Returns the milliseconds from a failed try to the next one; null if it was the last.
 * @param attempts how many there were, with this one.
 */
export function retryAfter(attempts: number): number | null {
  const next = TRIES_MS[attempts];
  return next === undefined ? null : next - (TRIES_MS[attempts - 1] ?? 0);
}
