import { setTimeout as pause } from "node:timers/promises";

/** Waits until this holds; after `longestMs` it rejects with the complaint. */
export async function waitUntil(
  holds: () => boolean,
  complaint: () => string,
  longestMs = 60_000,
): Promise<void> {
  const signal = AbortSignal.timeout(longestMs);
  while (!holds()) {
    await pause(10, undefined, { signal }).catch(() => {
      throw new Error(complaint());
    });
  }
}
