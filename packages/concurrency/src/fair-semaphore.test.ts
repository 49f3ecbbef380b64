import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as settled } from "node:timers/promises";
import fc from "fast-check";
import { FairSemaphore } from "./fair-semaphore.ts";
import type { Release } from "./semaphore.ts";

/**
 * Requests a slot for each name, whose first letter is the owner. `leave` releases the slot that a name
 * holds.
 */
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

test("an owner that never releases its slot → other owners are still served", async () => {
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

test("one owner queued many requests first → slots are granted round-robin by owner", async () => {
  const limit = new FairSemaphore({ slots: 1, perOwner: 1 });
  const { began, leave } = race(limit, ["a1", "a2", "a3", "a4", "b1", "c1", "b2"]);
  const order = ["a1", "a2", "b1", "c1", "a3", "b2", "a4"];
  for (const name of order) {
    await settled();
    await leave(name);
  }
  assert.deepEqual(began, order);
});

test("perOwner: slots are free and only one owner waits → it gets no more than perOwner, and a release counts once", async () => {
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

test("any sequence → limits hold, one owner's requests are granted in order, no slot stays free, no owner is starved", async () => {
  const step = fc.oneof(fc.constantFrom("a", "b", "c", "d"), fc.nat());
  const sizes = fc.record({
    slots: fc.integer({ min: 1, max: 4 }),
    perOwner: fc.integer({ min: 1, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(sizes, fc.array(step, { maxLength: 40 }), async (options, sequence) => {
      const limit = new FairSemaphore(options);
      const held: { owner: string; release: Release }[] = [];
      const waiting = new Map<string, number[]>();
      /** Grants to others since an owner with a free share of its own began to wait. */
      const overtaken = new Map<string, string[]>();
      const holds = (owner: string) => held.filter((one) => one.owner === owner).length;
      const canGrow = (owner: string) => holds(owner) < options.perOwner;
      const grant = (owner: string, request: number, release: Release) => {
        const queue = waiting.get(owner) ?? [];
        assert.equal(queue.shift(), request, "out of order");
        held.push({ owner, release });
        overtaken.delete(owner);
        for (const others of overtaken.values()) {
          assert.ok(!others.includes(owner), "one owner was served twice while another waited");
          others.push(owner);
        }
      };
      for (const [request, what] of sequence.entries()) {
        if (typeof what === "string") {
          waiting.set(what, [...(waiting.get(what) ?? []), request]);
          void limit.acquire(what).then((release) => grant(what, request, release));
        } else if (held.length > 0) {
          const [released] = held.splice(what % held.length, 1);
          released?.release();
          released?.release(); // The second call has no effect.
        }
        await settled();
        const owners = [...waiting].filter(([, queue]) => queue.length > 0).map(([owner]) => owner);
        for (const owner of owners) {
          assert.equal(limit.waiting(owner), waiting.get(owner)?.length);
          if (canGrow(owner) && !overtaken.has(owner)) overtaken.set(owner, []);
        }
        assert.ok(held.length <= options.slots);
        for (const { owner } of held) assert.ok(holds(owner) <= options.perOwner);
        assert.ok(held.length === options.slots || !owners.some(canGrow), "a slot stayed free");
      }
    }),
  );
});
