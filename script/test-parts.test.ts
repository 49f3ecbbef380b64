import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DAYS, dayOfRest, partOf, turnOfRest } from "./test-parts.ts";

const ROOT = join(import.meta.dirname, "..");
const DAY_MS = 86_400_000;
/** What a day of the rest may take: what is left of 35 minutes beside the ten of each time. */
const MOST_SECONDS = 25 * 60;
const AT_A_TIME = 3;
const files = globSync("{packages,script,tests,bench}/**/*.test.ts", {
  cwd: ROOT,
  exclude: (name) => name === "node_modules",
});
const rest = DAYS.flatMap((day) => Object.keys(day));

test("each test file is in one part", () => {
  assert.deepEqual(
    files.filter((file) => partOf(file) === null),
    [],
  );
  assert.equal(new Set(rest).size, rest.length);
  assert.equal(partOf("script/test-parts.test.ts"), "each-time");
  assert.equal(partOf("tests/nowhere/a.test.ts"), null);
});

test("the rest names files that are there", () => {
  assert.deepEqual(
    rest.filter((file) => !files.includes(file)),
    [],
  );
});

test("each file of the rest is run within three days, whatever the first day is", () => {
  for (const first of [0, 1, 20_786]) {
    const days = [0, 1, 2].map((day) => dayOfRest((first + day) * DAY_MS));
    assert.deepEqual(days.toSorted(), [0, 1, 2]);
  }
});

test("what is tried of what a file of the rest varies changes each time it is run", () => {
  const turns = [0, 3, 6].map((day) => turnOfRest((20_786 + day) * DAY_MS) % 3);
  assert.deepEqual(turns.toSorted(), [0, 1, 2]);
});

test("a day of the rest takes its share of the time", () => {
  for (const day of DAYS) {
    const seconds = Object.values(day).reduce((sum, each) => sum + each, 0);
    assert.ok(seconds / AT_A_TIME < MOST_SECONDS, `${seconds} s, ${AT_A_TIME} at a time`);
  }
});
