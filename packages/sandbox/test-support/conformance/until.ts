import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

/** Waits until this holds, as for what the kernel does by itself; after `maxMs` it fails with the complaint. */
export async function until(holds: () => boolean, complaint: () => string, maxMs = 30_000): Promise<void> {
  const end = performance.now() + maxMs;
  while (!holds()) {
    assert.ok(performance.now() < end, complaint());
    await delay(5);
  }
}
