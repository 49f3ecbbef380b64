import assert from "node:assert/strict";
import { test } from "node:test";
import { createTurns } from "./rate-limited-queues.ts";

test("one at a time for an owner, in order, while others are not kept waiting", async () => {
  const inTurn = createTurns();
  const held = Promise.withResolvers<void>();
  const done: string[] = [];
  const hostile = {};
  const first = inTurn(hostile, async () => {
    await held.promise;
    done.push("first");
  });
  const second = inTurn(hostile, async () => done.push("second"));
  await inTurn({}, async () => done.push("neighbour"));
  assert.deepEqual(done, ["neighbour"]);
  held.resolve();
  await Promise.all([first, second]);
  assert.deepEqual(done, ["neighbour", "first", "second"]);
});

test("after many at once the next one waits for a while, and failures are the caller's alone", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const inTurn = createTurns(() => 0);
  const owner = {};
  await assert.rejects(
    inTurn(owner, () => Promise.reject(new Error("mine"))),
    /mine/,
  );
  for (let n = 1; n < 16; n++) await inTurn(owner, async () => n);
  let isDone = false;
  const next = inTurn(owner, async () => (isDone = true));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isDone, false);
  t.mock.timers.tick(1_000);
  assert.equal(await next, true);
});

test("too many that wait are refused", async () => {
  const inTurn = createTurns();
  const owner = {};
  const never = new Promise<never>(() => {});
  for (let n = 0; n < 64; n++) void inTurn(owner, () => never);
  await assert.rejects(
    inTurn(owner, async () => {}),
    /at once/,
  );
  assert.equal(await inTurn({}, async () => "other"), "other");
});
