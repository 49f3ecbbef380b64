/** A series of attempts on one repository, each of which failed for a reason that passes. */
export interface Series {
  /** Those that failed before the one that failed now. */
  attempts: number;
  /** Milliseconds since the first of them failed. */
  failingMs: number;
}

/** The longest wait that a host can ask for with `Retry-After`. */
export const MAX_RETRY_AFTER_MS = 60_000;
/** No retry of a series begins later after its first failure: attempts on a host that sends nothing are long. */
export const MAX_SERIES_MS = 5 * 60_000;

/**
 * Milliseconds until the next attempt; null when the series has ended. A host may ask for a longer wait than the schedule's.
 *
 * @param retryAfterMs what the host asks for; null when it does not.
 * @param schedule milliseconds before each retry.
 */
export function retryDelay(
  { attempts, failingMs }: Series,
  retryAfterMs: number | null,
  schedule: readonly number[],
): number | null {
  const wait = schedule[attempts];
  const left = MAX_SERIES_MS - failingMs;
  if (wait === undefined || wait > left) return null;
  return Math.max(wait, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS, left));
}
