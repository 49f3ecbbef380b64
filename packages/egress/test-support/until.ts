import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

/** Polls until `holds` returns true, for effects that send no event. Fails with `complaint` after `maxMs`. */
export async function until(holds: () => boolean, complaint: () => string, maxMs = 30_000): Promise<void> {
  const end = performance.now() + maxMs;
  while (!holds()) {
    assert.ok(performance.now() < end, complaint());
    await delay(5);
  }
}
