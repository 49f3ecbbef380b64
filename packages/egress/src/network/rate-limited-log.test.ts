import assert from "node:assert/strict";
import { test } from "node:test";
import { rateLimitedLog } from "./rate-limited-log.ts";

test("rate-limited log: lines beyond the limit are dropped with one notice, until the next minute", () => {
  const lines: string[] = [];
  let time = 0;
  const log = rateLimitedLog(
    (line) => lines.push(line),
    () => time,
  );
  for (let n = 0; n < 500; n++) log("failed");
  assert.equal(lines.length, 101);
  assert.match(lines.at(-1) ?? "", /more lines of one sandbox/);
  time = 60_000;
  log("again");
  assert.deepEqual([lines.length, lines.at(-1)], [102, "again"]);
});
