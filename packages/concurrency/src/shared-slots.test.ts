import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Share, SharedSlots } from "./shared-slots.ts";

const share = fc.record({ group: fc.constantFrom("a", "b", "c"), member: fc.constantFrom("1", "2", "3") });

/** Makes all requests at once while one slot is taken. Returns the order in which they get it. */
async function orderOf(requests: readonly Share[]): Promise<Share[]> {
  const slots = new SharedSlots(1);
  const first = await slots.acquire({ group: "none", member: "none" });
  const order: Share[] = [];
  const all = requests.map(async (request) => {
    const release = await slots.acquire(request);
    order.push(request);
    release();
  });
  assert.equal(slots.waiting, requests.length);
  first();
  await Promise.all(all);
  assert.deepEqual([slots.free, slots.waiting], [1, 0]);
  return order;
}

test("property: between two turns of one group each other group that waits has one, and so in each group", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(share, { maxLength: 30 }), async (requests) => {
      const order = await orderOf(requests);
      assert.deepEqual(order.toSorted(byName), requests.toSorted(byName), "each gets one");
      fairly(order.map(({ group }) => group));
      for (const group of ["a", "b", "c"])
        fairly(order.filter((one) => one.group === group).map(({ member }) => member));
    }),
  );
});

/** Asserts that between two turns of one name every other name with a later turn has one. */
function fairly(names: readonly string[]): void {
  for (const [index, name] of names.entries()) {
    const next = names.indexOf(name, index + 1);
    if (next === -1) continue;
    const between = new Set(names.slice(index + 1, next));
    for (const other of new Set(names.slice(next)))
      assert.ok(other === name || between.has(other), `${other} waits for ${name} in ${names}`);
  }
}

const byName = (one: Share, other: Share) =>
  `${one.group}${one.member}`.localeCompare(`${other.group}${other.member}`);

test("one with a thousand requests delays another's by one turn", async () => {
  const [hoarder, other] = [
    { group: "o", member: "hoarder" },
    { group: "o", member: "other" },
  ];
  const order = await orderOf([...Array.from({ length: 1_000 }, () => hoarder), other]);
  assert.ok(order.indexOf(other) <= 1, `${order.indexOf(other)}`);
});

test("never more holders than slots; a release counts once", async () => {
  const slots = new SharedSlots(2);
  const [one, two] = [
    await slots.acquire({ group: "a", member: "1" }),
    await slots.acquire({ group: "a", member: "1" }),
  ];
  let third = false;
  const waits = slots.acquire({ group: "b", member: "1" }).then((release) => {
    third = true;
    return release;
  });
  assert.equal(slots.free, 0);
  assert.equal(third, false);
  one();
  one();
  const release = await waits;
  assert.equal(slots.free, 0);
  two();
  release();
  assert.equal(slots.free, 2);
});

const HOARD = { group: "hoard", member: "one" };

/** Returns, for each of the requests, whether it gets a slot at once when they are made in this order. */
async function granted(slots: SharedSlots, requests: readonly Share[]): Promise<boolean[]> {
  const got = requests.map(() => false);
  for (const [index, request] of requests.entries())
    void slots.acquire(request).then(() => {
      got[index] = true;
    });
  await new Promise((resolve) => setImmediate(resolve));
  return got;
}

test("one group has all slots → another gets one at once, up to a quarter more", async () => {
  for (const count of [4, 8, 32]) {
    const slots = new SharedSlots(count);
    for (let held = 0; held < count; held++) await slots.acquire(HOARD);
    assert.deepEqual(await granted(slots, [HOARD]), [false]);
    const others = Array.from({ length: count / 4 + 1 }, (_, index) => ({ group: `g${index}`, member: "m" }));
    const got = await granted(slots, others);
    assert.deepEqual(
      got,
      others.map((_, index) => index < count / 4),
    );
  }
});

test("several groups share the slots, none has more than three quarters → who comes waits", async () => {
  const slots = new SharedSlots(4);
  const all = [HOARD, HOARD, HOARD, { group: "b", member: "m" }];
  assert.deepEqual(await granted(slots, all), [true, true, true, true]);
  assert.deepEqual(await granted(slots, [{ group: "c", member: "m" }]), [false]);
});

test("while others wait, a group with three quarters gets no further slot", async () => {
  const slots = new SharedSlots(4);
  const releases = await Promise.all([HOARD, HOARD, HOARD, HOARD].map((share) => slots.acquire(share)));
  const order: string[] = [];
  const note = ({ group, member }: Share) => slots.acquire({ group, member }).then(() => order.push(group));
  const all = [HOARD, { group: "a", member: "m" }, { group: "b", member: "m" }, HOARD].map(note);
  for (const release of releases) release();
  await Promise.all(all);
  assert.deepEqual(order.slice(0, 2).toSorted(), ["a", "b"]);
});
