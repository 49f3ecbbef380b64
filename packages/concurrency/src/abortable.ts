import { setTimeout as delay } from "node:timers/promises";

/** Waits, or rejects with the signal's reason as soon as the signal aborts. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(milliseconds, undefined, { signal });
  } catch {
    throw signal.reason;
  }
}

/**
 * Settles as the promise does, or rejects with the signal's reason as soon as it aborts. The promise itself
 * is not cancelled; its later rejection is ignored.
 */
export async function orAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  Promise.resolve(promise).catch(() => undefined);
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => undefined);
  const abort = () => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([aborted.promise, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
