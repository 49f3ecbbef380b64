import { APIError, ConnectionError, RateLimitError } from "./errors.ts";

/** Maximum milliseconds of `retry-after` for which the client waits. Beyond it, the call is not retried. */
const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Returns whether a retry may succeed: after a missing response, a 5xx that does not say otherwise, or a rate
 * limit with `retry-after`. Other 4xx are permanent.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (error instanceof RateLimitError) return error.headers.has("retry-after");
  if (!(error instanceof APIError) || error.status < 500) return false;
  return error.type !== "feature_not_available" && error.headers.get("x-should-retry") !== "false";
}

/**
 * Returns the delay before the next attempt in milliseconds, or null to give up: 1, 2, 4 … seconds by the
 * number of earlier `retries`, or `retry-after` if that is longer.
 */
export function retryDelay(error: unknown, retries: number, now: number): number | null {
  if (!isTransient(error)) return null;
  const backoff = 1000 * 2 ** retries;
  const asked = error instanceof APIError ? retryAfter(error.headers, now) : null;
  if (asked === null) return backoff;
  return asked > MAX_RETRY_AFTER_MS ? null : Math.max(asked, backoff);
}

/** Parses `retry-after` (seconds or a date) to milliseconds. Returns null when absent or invalid. */
function retryAfter(headers: Headers, now: number): number | null {
  const value = headers.get("retry-after");
  if (value === null) return null;
  if (/^[0-9]+(\.[0-9]+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Resolves after `milliseconds`. Rejects with the signal's reason as soon as it aborts. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
