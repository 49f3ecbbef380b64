import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Waits for a condition that no event reports, such as an action of the kernel. Fails with the message after
 * `maxMs`.
 */
export async function until(holds: () => boolean, complaint: () => string, maxMs = 30_000): Promise<void> {
  const end = performance.now() + maxMs;
  while (!holds()) {
    assert.ok(performance.now() < end, complaint());
    await delay(5);
  }
}
