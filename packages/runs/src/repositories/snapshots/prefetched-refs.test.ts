import assert from "node:assert/strict";
import { test } from "node:test";
import { PrefetchedRefs } from "./prefetched-refs.ts";

test("take: refs were prefetched → returned once, and not after ten seconds", async () => {
  let now = 5_000;
  const prefetched = new PrefetchedRefs(() => now);
  const seen = { head: null, objects: new Map() };
  for (const id of ["one", "two"]) prefetched.add(id, Promise.resolve(seen));
  assert.equal(prefetched.take("other"), null);
  now += 9_999;
  assert.equal(await prefetched.take("one"), seen);
  assert.equal(prefetched.take("one"), null);
  now += 1;
  assert.equal(prefetched.take("two"), null);
});
