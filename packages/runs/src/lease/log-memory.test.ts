import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesInMemory, LogMemory } from "./log-memory.ts";

function keeping(memory: LogMemory, sizes: Record<string, number>) {
  const evicted: string[] = [];
  const logs = Object.keys(sizes).map((name) => ({
    name,
    bytes: () => sizes[name] ?? 0,
    evict: () => void evicted.push(name),
  }));
  const keep = (name: string) => {
    const log = logs.find((each) => each.name === name);
    if (log !== undefined) memory.keep(log);
    return evicted.splice(0);
  };
  return { keep, logs };
}

test("log memory: the log that was used longest ago is evicted first, also when logs have grown", () => {
  const sizes = { a: 40, b: 40, c: 30 };
  const { keep } = keeping(new LogMemory(100), sizes);
  assert.deepEqual([keep("a"), keep("b"), keep("a")], [[], [], []]);
  assert.deepEqual(keep("c"), ["b"]);
  sizes.a = 80;
  assert.deepEqual(keep("c"), ["a"]);
});

test("log memory: a log that is too large alone is evicted, and one that is forgotten counts no more", () => {
  const memory = new LogMemory(100);
  const { keep, logs } = keeping(memory, { large: 101, a: 60, b: 60 });
  assert.deepEqual(keep("large"), ["large"]);
  assert.deepEqual(keep("a"), []);
  for (const log of logs) memory.forget(log);
  assert.deepEqual(keep("b"), []);
});

test("log memory: a value takes at least its texts", () => {
  assert.ok(bytesInMemory({ text: "x".repeat(1_000), list: ["y".repeat(1_000)], none: null }) > 2_000);
});
