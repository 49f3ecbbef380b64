import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as settled } from "node:timers/promises";
import fc from "fast-check";
import { Signal } from "./signal.ts";

test("any sequence of set, reset and wait → a waiter is woken exactly when the signal is or becomes set", async () => {
  const steps = fc.array(fc.constantFrom("set", "reset", "wait"), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const signal = new Signal();
      const waiters: { woken: boolean; due: boolean }[] = [];
      let isSet = false;
      for (const step of sequence) {
        if (step === "set") {
          signal.set();
          isSet = true;
          for (const waiter of waiters) waiter.due = true;
        } else if (step === "reset") {
          signal.reset();
          isSet = false;
        } else {
          const waiter = { woken: false, due: isSet };
          waiters.push(waiter);
          void signal.wait().then(() => {
            waiter.woken = true;
          });
        }
        await settled();
        for (const { woken, due } of waiters) assert.equal(woken, due);
      }
    }),
  );
});

test("waitFor: a set before or during the wait → true; none → false", async () => {
  const signal = new Signal();
  assert.equal(await signal.waitFor(0), false);
  const during = signal.waitFor(60_000);
  signal.set();
  assert.equal(await during, true);
  assert.equal(await signal.waitFor(0), true, "the set is remembered");
  signal.reset();
  assert.equal(await signal.waitFor(0), false);
});
