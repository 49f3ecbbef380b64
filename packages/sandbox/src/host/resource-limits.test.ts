import assert from "node:assert/strict";
import { test } from "node:test";
import { resourceLimit } from "./resource-limits.ts";

const NONE = Number.POSITIVE_INFINITY;
const lowered = (own: number) => () => own;

test("resource limits: what is wanted, and never more than the own hard limit", () => {
  assert.deepEqual(resourceLimit("nofile", 65_536, 65_536, lowered(NONE)), { soft: 65_536, hard: 65_536 });
  assert.deepEqual(resourceLimit("core", NONE, 0, lowered(NONE)), { soft: 0, hard: -1 });
  for (const name of ["core", "data", "nofile", "nproc"] as const) {
    assert.deepEqual(resourceLimit(name, NONE, 0, lowered(4_000)), { soft: 0, hard: 4_000 }, name);
    assert.deepEqual(resourceLimit(name, 9_000, 9_000, lowered(4_000)), { soft: 4_000, hard: 4_000 }, name);
    assert.deepEqual(resourceLimit(name, NONE, NONE, lowered(0)), { soft: 0, hard: 0 }, name);
  }
});
