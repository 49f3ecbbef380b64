import assert from "node:assert/strict";
import { test } from "node:test";
import type { Logger } from "pino";
import { Setbacks } from "./setbacks.ts";

test("Setbacks: what failed is tried again after ever longer waits, and told once for each reason", () => {
  let now = 0;
  const told: string[] = [];
  const log = { warn: ({ err }: { err: Error }) => told.push(err.message) } as unknown as Logger;
  const setbacks = new Setbacks(log, () => now);
  const waits = (key: string) => {
    const began = now;
    while (!setbacks.mayTry(key)) now += 1_000;
    return (now - began) / 1_000;
  };
  const failures = ["quota", "quota", "image", "image", "image", "image", "image"].map((why) => {
    setbacks.failed("a", new Error(why));
    assert.ok(setbacks.mayTry("b"));
    return waits("a");
  });
  assert.deepEqual(failures, [10, 20, 40, 80, 160, 300, 300]);
  assert.deepEqual(told, ["quota", "image", "image", "image"], "again each five minutes");
  setbacks.succeeded("a");
  setbacks.failed("a", new Error("image"));
  assert.equal(waits("a"), 10);
});
