import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as settled } from "node:timers/promises";
import { FairSemaphore } from "./fair-semaphore.ts";

/** Asks for a turn for each name, whose first letter is the owner. `leave` ends the turn of a name that began. */
function race(limit: FairSemaphore, names: readonly string[]) {
  const began: string[] = [];
  const leaves = new Map<string, () => void>();
  const ask = (name: string) =>
    limit.acquire(name.slice(0, 1)).then((leave) => {
      began.push(name);
      leaves.set(name, leave);
    });
  for (const name of names) void ask(name);
  const leave = async (name: string) => {
    const end = leaves.get(name);
    assert.ok(end, `${name} has not begun`);
    end();
    await settled();
  };
  return { began, leave, ask };
}

test("an owner that never ends its turn holds back nobody else", async () => {
  const limit = new FairSemaphore({ slots: 2, perOwner: 1 });
  const { began, leave, ask } = race(limit, ["a1", "a2", "a3", "b1", "b2", "c1"]);
  await settled();
  assert.deepEqual(began, ["a1", "b1"]);
  assert.deepEqual([limit.waiting("a"), limit.waiting("b"), limit.waiting("x")], [2, 1, 0]);
  for (const name of ["b1", "b2", "c1"]) await leave(name);
  void ask("d1");
  await settled();
  assert.deepEqual(began, ["a1", "b1", "b2", "c1", "d1"]);
  await leave("a1");
  assert.equal(began.at(-1), "a2");
});

test("turns go round, however much one owner asked for before the others came", async () => {
  const limit = new FairSemaphore({ slots: 1, perOwner: 1 });
  const { began, leave } = race(limit, ["a1", "a2", "a3", "a4", "b1", "c1", "b2"]);
  const order = ["a1", "a2", "b1", "c1", "a3", "b2", "a4"];
  for (const name of order) {
    await settled();
    await leave(name);
  }
  assert.deepEqual(began, order);
});

test("one owner has no more than its places, also while nobody waits, and a place is given back once", async () => {
  const limit = new FairSemaphore({ slots: 3, perOwner: 2 });
  const { began, leave, ask } = race(limit, ["a1", "a2", "a3", "a4"]);
  await settled();
  assert.deepEqual(began, ["a1", "a2"]);
  void ask("b1");
  void ask("c1");
  await leave("a1");
  await leave("a1");
  assert.deepEqual(began, ["a1", "a2", "b1", "a3"]);
  await leave("b1");
  assert.deepEqual(began, ["a1", "a2", "b1", "a3", "c1"]);
  assert.equal(limit.waiting("a"), 1);
});
