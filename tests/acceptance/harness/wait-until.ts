import { setTimeout as pause } from "node:timers/promises";

/**
 * Resolves when the condition is true. Rejects with the message after `timeoutMs`, whose default allows for a
 * loaded machine.
 */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  message: () => string,
  timeoutMs = 180_000,
): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  while (!(await condition())) {
    await pause(10, undefined, { signal }).catch(() => {
      throw new Error(message());
    });
  }
}
