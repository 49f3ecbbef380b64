import { APIError, ConnectionError, RateLimitError } from "./errors.ts";

/** The client does not retry if the server asks it to wait for longer. */
const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Whether a retry may succeed: there was no response, or a 5xx unless it says otherwise. No other 4xx than a limit on requests, which
 * says after how long.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (error instanceof RateLimitError) return error.headers.has("retry-after");
  if (!(error instanceof APIError) || error.status < 500) return false;
  return error.type !== "feature_not_available" && error.headers.get("x-should-retry") !== "false";
}

/**
 * The delay before the next attempt in milliseconds, or null to give up: 1, 2, 4 … seconds by the number of earlier
 * `retries`, or `retry-after` if that is longer.
 */
export function retryDelay(error: unknown, retries: number, now: number): number | null {
  if (!isTransient(error)) return null;
  const backoff = 1000 * 2 ** retries;
  const asked = error instanceof APIError ? retryAfter(error.headers, now) : null;
  if (asked === null) return backoff;
  return asked > MAX_RETRY_AFTER_MS ? null : Math.max(asked, backoff);
}

/** `retry-after` in milliseconds: seconds, or a date. */
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
