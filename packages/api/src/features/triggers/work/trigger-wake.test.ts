import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { TriggerWorker } from "./trigger-worker.ts";

test("a worker is woken as often as something comes, for as long as the process runs", async () => {
  let looks = 0;
  const query = async () => {
    looks += 1;
    return { rows: [], rowCount: 0 };
  };
  const worker = new TriggerWorker({ db: { write: { query } } } as never);
  worker.start();
  for (let woken = 0; woken < 20_000; woken++) {
    const before = looks;
    worker.wake();
    // Each of its four looks for itself.
    while (looks < before + 4) await turn();
  }
  await worker.close();
  assert.ok(looks >= 80_000);
});
