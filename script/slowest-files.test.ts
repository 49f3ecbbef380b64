import assert from "node:assert/strict";
import { test } from "node:test";
import { slowest } from "./slowest-files.ts";

test("slowest: ten files, the one that took longest first, and how many ran at a time", () => {
  const files = Array.from({ length: 12 }, (_, n) => ({ file: `${n}.test.ts`, seconds: n * 10.4 }));
  const lines = slowest(files, 228.8).split("\n");
  assert.deepEqual([lines.length, lines[1], lines[10]], [11, "  114 s  11.test.ts", "   21 s  2.test.ts"]);
  assert.equal(lines[0], "12 test processes in 229 s, 3.0 at a time. The slowest:");
});
