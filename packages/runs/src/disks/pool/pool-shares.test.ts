import assert from "node:assert/strict";
import { test } from "node:test";
import { type PLAIN, shapeOf } from "../../../test-support/warm.ts";
import { poolShares } from "./pool-shares.ts";

/** Returns the shares by letter. Each letter is a shape, newest first. */
function shares(letters: string, size: number, has: Record<string, number> = {}): Record<string, number> {
  const shapes = [...letters].map(shapeOf);
  const keyOf = ({ image }: typeof PLAIN) => (image === "x" ? null : image);
  const found = poolShares(shapes, size, keyOf, new Map(Object.entries(has)));
  return Object.fromEntries(found.map(({ key, count }) => [key, count]));
}

test("poolShares: among the shapes of the last disks, the later and the more often the more", () => {
  assert.deepEqual(shares("aaaa", 3), { a: 3 });
  assert.deepEqual(shares("abababab", 2), { a: 1, b: 1 });
  assert.deepEqual(shares("aaaaaaab", 4), { a: 4 });
  assert.deepEqual(shares("abaa", 4), { a: 3, b: 1 });
  assert.deepEqual(shares("abcd", 2), { a: 1, b: 1 });
});

test("poolShares: a changed environment has the pool within some sessions, and turns do not change it each time", () => {
  assert.deepEqual(shares("a", 1), { a: 1 });
  assert.deepEqual(shares("bbaaaaaaaaaa", 1, { a: 1 }), { a: 1 });
  assert.deepEqual(shares("bbbbbaaaaaaa", 1, { a: 1 }), { b: 1 });
  assert.deepEqual(shares("babababa", 1, { a: 1 }), { a: 1 });
  assert.deepEqual(shares("abababab", 1, { b: 1 }), { b: 1 });
});

test("poolShares: nothing of no size, of no shapes, and of those of which none is made", () => {
  assert.deepEqual(shares("ab", 0), {});
  assert.deepEqual(shares("", 2), {});
  assert.deepEqual(shares("xxa", 2), { a: 2 });
});
