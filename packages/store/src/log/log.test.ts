import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "./log.ts";
import { createRedactor } from "./redactor.ts";

test("log: lines of the level and above are written, one JSON object each", () => {
  for (const [level, expected] of [
    ["debug", ["one", "two", "three"]],
    ["info", ["two", "three"]],
    ["error", ["three"]],
    ["silent", []],
  ] as const) {
    const lines: string[] = [];
    const log = createLog(level, createRedactor(), (line) => lines.push(line));
    log.debug("one");
    log.info("two");
    log.error("three");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).msg),
      expected,
      level,
    );
  }
});
