import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { releaseMemoryWhenQuiet } from "./release-memory.ts";

const MIB = 1_048_576;
const heapMiB = () => process.memoryUsage().heapTotal / MIB;

/** Allocates memory for a moment, and returns the size of the heap then, in MiB. */
function load(): number {
  const objects = Array.from({ length: 400_000 }, (_, index) => ({ index, text: `${index} and more` }));
  return objects.length === 400_000 ? heapMiB() : 0;
}

test("what a load took is given back once the process is quiet, each time", {
  timeout: 60_000,
}, async (t) => {
  const releasing = releaseMemoryWhenQuiet({ intervalMs: 50, activity: 0.5 });
  t.after(() => releasing.close());
  for (let round = 0; round < 2; round++) {
    const loaded = load();
    while (heapMiB() > loaded - 20) await pause(20);
  }
  assert.equal(globalThis.gc, undefined, "programs do not see it");
});
