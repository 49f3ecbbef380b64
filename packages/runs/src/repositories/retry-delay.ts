/** A series of attempts on one repository, each of which failed for a transient reason. */
export interface Series {
  /** The attempts that failed before the last one. */
  attempts: number;
  /** Milliseconds since the first of them failed. */
  failingMs: number;
}

/** The longest wait that a host can ask for with `Retry-After`. */
export const MAX_RETRY_AFTER_MS = 60_000;
/** The latest start of a retry after the first failure, since attempts on a silent host take long. */
export const MAX_SERIES_MS = 5 * 60_000;

/**
 * Returns milliseconds until the next attempt, or null when the series has ended. A host may ask for a longer
 * wait than the schedule's.
 *
 * @param retryAfterMs the wait that the host asks for; null when it asks for none.
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
