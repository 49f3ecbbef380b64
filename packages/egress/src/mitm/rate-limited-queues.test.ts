import assert from "node:assert/strict";
import { test } from "node:test";
import { RateLimitedQueues } from "./rate-limited-queues.ts";

test("rate-limited queues: one task per owner at a time, in order; other owners do not wait", async () => {
  const queues = new RateLimitedQueues();
  const held = Promise.withResolvers<void>();
  const done: string[] = [];
  const hostile = {};
  const first = queues.run(hostile, async () => {
    await held.promise;
    done.push("first");
  });
  const second = queues.run(hostile, async () => done.push("second"));
  await queues.run({}, async () => done.push("neighbour"));
  assert.deepEqual(done, ["neighbour"]);
  held.resolve();
  await Promise.all([first, second]);
  assert.deepEqual(done, ["neighbour", "first", "second"]);
});

test("rate-limited queues: after a burst the next task waits; a failure rejects its own caller only", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const queues = new RateLimitedQueues(() => 0);
  const owner = {};
  await assert.rejects(
    queues.run(owner, () => Promise.reject(new Error("mine"))),
    /mine/,
  );
  for (let n = 1; n < 16; n++) await queues.run(owner, async () => n);
  let isDone = false;
  const next = queues.run(owner, async () => (isDone = true));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isDone, false);
  t.mock.timers.tick(1_000);
  assert.equal(await next, true);
});

test("rate-limited queues: too many waiting tasks → rejects", async () => {
  const queues = new RateLimitedQueues();
  const owner = {};
  const never = new Promise<never>(() => {});
  for (let n = 0; n < 64; n++) void queues.run(owner, () => never);
  await assert.rejects(
    queues.run(owner, async () => {}),
    /at once/,
  );
  assert.equal(await queues.run({}, async () => "other"), "other");
});
