import assert from "node:assert/strict";
import { test } from "node:test";
import { Pool } from "./pool.ts";

/** A stock of numbers, with what it made and released. */
function numbers(ready: number, batch: number) {
  const made: number[] = [];
  const released: number[] = [];
  let next = 0;
  const state = { refuse: false };
  const stock = new Pool<number>({
    ready,
    batch,
    async make(count) {
      made.push(count);
      await new Promise(setImmediate);
      if (state.refuse) throw new Error("refused");
      return Array.from({ length: count }, () => next++);
    },
    release: (item) => released.push(item),
  });
  return { stock, made, released, state };
}

test("what is asked for at one moment is made together, and each gets one of its own", async () => {
  const { stock, made } = numbers(2, 8);
  const taken = await Promise.all(Array.from({ length: 12 }, () => stock.take()));
  assert.deepEqual(new Set(taken).size, 12);
  assert.deepEqual(made.slice(0, 2), [8, 6]);
  await stock.close();
});

test("what was taken while the first were made is made again", { timeout: 60_000 }, async () => {
  const { stock, made } = numbers(2, 8);
  await Promise.all([stock.take(), stock.take()]);
  while (made.reduce((sum, count) => sum + count, 0) < 4) await new Promise(setImmediate);
  await stock.close();
});

test("what nobody took is released when it closes, and nobody gets any then", async () => {
  const { stock, made, released } = numbers(3, 8);
  await stock.take();
  const waiting = [stock.take(), stock.take(), stock.take(), stock.take()];
  await stock.close();
  const settled = await Promise.allSettled(waiting);
  const got = settled.filter(({ status }) => status === "fulfilled").length;
  const all = made.reduce((sum, count) => sum + count, 0);
  assert.deepEqual([got + released.length + 1, new Set(released).size], [all, released.length]);
  await assert.rejects(stock.take(), /closed/);
});

test("a refusal goes to all that wait, and the next is tried again", async () => {
  const { stock, state } = numbers(1, 8);
  state.refuse = true;
  const all = await Promise.allSettled([stock.take(), stock.take()]);
  assert.deepEqual(
    all.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  state.refuse = false;
  assert.equal(typeof (await stock.take()), "number");
  await stock.close();
});
