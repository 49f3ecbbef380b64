import type { ModelError } from "../models/model.ts";

export interface RetryOptions {
  /**
   * Milliseconds since the first failure during which requests to an overloaded or rate-limiting provider are
   * retried. Default 600,000.
   */
  busyRetryMs?: number;
  /** Returns a number from 0 to below 1, which spreads the retries of sessions. Default `Math.random`. */
  random?: () => number;
}

/** The failures since the last response, according to the log. */
export interface FailureSeries {
  count: number;
  /** Time at which the first failure was logged, in milliseconds since 1970. */
  since: number;
}

const DEFAULT_BUSY_RETRY_MS = 600_000;
/** Minimum retries of every retryable error. */
const MIN_RETRIES = 3;
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;
const JITTER = 0.25;

/**
 * Returns the milliseconds to wait before the request is retried; null when it is not. A retryable error is
 * retried three times, and one that says that the provider is overloaded or limits the rate for as long as
 * `busyRetryMs`. The delay doubles from a second to a minute. A longer delay that the provider asks for is
 * respected: up to a minute, or to the end of `busyRetryMs`.
 *
 * @param failures the failures before this one.
 * @param now in milliseconds since 1970.
 */
export function retryDelay(
  error: ModelError,
  failures: FailureSeries | null,
  now: number,
  { busyRetryMs = DEFAULT_BUSY_RETRY_MS, random = Math.random }: RetryOptions,
): number | null {
  if (!error.retryable) return null;
  const count = failures?.count ?? 0;
  const isBusy = error.kind === "overloaded" || error.kind === "rate_limited";
  const left = isBusy ? (failures?.since ?? now) + busyRetryMs - now : 0;
  const isSure = count < MIN_RETRIES;
  if (!isSure && left <= 0) return null;
  const delay = Math.min(FIRST_DELAY_MS * 2 ** count, MAX_DELAY_MS) * (1 + JITTER * random());
  const longest = isSure ? Math.max(left, MAX_DELAY_MS) : left;
  return Math.ceil(Math.min(Math.max(delay, error.retryAfterMs ?? 0), longest));
}
