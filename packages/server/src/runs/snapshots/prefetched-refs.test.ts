import assert from "node:assert/strict";
import { test } from "node:test";
import { BegunLooks } from "./prefetched-refs.ts";

test("a look that was begun ahead is taken once, and not when it has become old", async () => {
  let now = 5_000;
  const looks = new BegunLooks(() => now);
  const seen = { head: null, objects: new Map() };
  for (const id of ["one", "two"]) looks.begin(id, Promise.resolve(seen));
  assert.equal(looks.take("other"), null);
  now += 9_999;
  assert.equal(await looks.take("one"), seen);
  assert.equal(looks.take("one"), null);
  now += 1;
  assert.equal(looks.take("two"), null);
});
