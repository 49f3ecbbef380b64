import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as settled } from "node:timers/promises";
import fc from "fast-check";
import { Pool } from "./pool.ts";

/** Creates a pool of numbers, and records the sizes of its batches and the numbers that it released. */
function numbers(ready: number, batch: number) {
  const made: number[] = [];
  const released: number[] = [];
  let next = 0;
  const state = { refuse: false };
  const pool = new Pool<number>({
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
  return { pool, made, released, state };
}

test("take: requests of the same tick → share batches, and each gets an item of its own", async () => {
  const { pool, made } = numbers(2, 8);
  const taken = await Promise.all(Array.from({ length: 12 }, () => pool.take()));
  assert.deepEqual(new Set(taken).size, 12);
  assert.deepEqual(made.slice(0, 2), [8, 6]);
  await pool.close();
});

test("take: items taken while the first batch is made → are made again", { timeout: 60_000 }, async () => {
  const { pool, made } = numbers(2, 8);
  await Promise.all([pool.take(), pool.take()]);
  while (made.reduce((sum, count) => sum + count, 0) < 4) await new Promise(setImmediate);
  await pool.close();
});

test("close: items that nobody took → are released, and later requests reject", async () => {
  const { pool, made, released } = numbers(3, 8);
  await pool.take();
  const waiting = [pool.take(), pool.take(), pool.take(), pool.take()];
  await pool.close();
  const settled = await Promise.allSettled(waiting);
  const got = settled.filter(({ status }) => status === "fulfilled").length;
  const all = made.reduce((sum, count) => sum + count, 0);
  assert.deepEqual([got + released.length + 1, new Set(released).size], [all, released.length]);
  await assert.rejects(pool.take(), /closed/);
});

test("make: it rejects → all waiting requests reject, and the next request tries again", async () => {
  const { pool, state } = numbers(1, 8);
  state.refuse = true;
  const all = await Promise.allSettled([pool.take(), pool.take()]);
  assert.deepEqual(
    all.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  state.refuse = false;
  assert.equal(typeof (await pool.take()), "number");
  await pool.close();
});

test("any mix of requests and failures → no item is given out twice, and each ends taken or released", async () => {
  const step = fc.constantFrom("take", "wait", "fail", "mend");
  const sizes = fc.record({ ready: fc.integer({ min: 1, max: 4 }), batch: fc.integer({ min: 1, max: 4 }) });
  await fc.assert(
    fc.asyncProperty(sizes, fc.array(step, { maxLength: 30 }), async (size, sequence) => {
      const made: number[] = [];
      const released: number[] = [];
      let making = 0;
      let fails = false;
      const pool = new Pool<number>({
        ...size,
        async make(count) {
          making += 1;
          assert.equal(making, 1, "two batches at once");
          assert.ok(count >= 1 && count <= size.batch);
          await settled();
          making -= 1;
          if (fails) throw new Error("nothing can be made");
          const items = Array.from({ length: count }, (_, index) => made.length + index);
          made.push(...items);
          return items;
        },
        release: (item) => released.push(item),
      });
      const taken: Promise<number[]>[] = [];
      for (const what of sequence) {
        if (what === "take")
          taken.push(
            pool
              .take()
              .then((item) => [item])
              .catch(() => []),
          );
        else if (what === "wait") await settled();
        else fails = what === "fail";
      }
      await pool.close();
      const ended = [...(await Promise.all(taken)).flat(), ...released];
      assert.deepEqual(
        ended.toSorted((a, b) => a - b),
        made,
      );
    }),
  );
});
