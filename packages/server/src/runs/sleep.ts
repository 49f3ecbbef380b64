import { setTimeout as pause } from "node:timers/promises";

/** Waits, or rejects with the signal's reason as soon as it aborts. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(milliseconds, undefined, { signal });
  } catch {
    throw signal.reason;
  }
}

/** The promise, or a rejection with the signal's reason as soon as it aborts; the promise itself goes on. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  promise.catch(() => undefined);
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => undefined);
  const reject = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", reject, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", reject);
  }
}
