import assert from "node:assert/strict";
import { test } from "node:test";
import { FEWEST_OPEN_FILES, openFilesLimit } from "./open-files.ts";

test("all processes of a sandbox together: at most half of the machine's table", () => {
  for (const [pids, table] of [
    [512, 1_000_000],
    [1_000, 600_000],
    [16, 100_000],
  ] as const)
    assert.ok(openFilesLimit(pids, table) * pids <= table / 2, `${pids} of ${table}`);
  assert.equal(openFilesLimit(512, 2 ** 62), 65_536);
  assert.equal(openFilesLimit(30_000, 100_000), FEWEST_OPEN_FILES);
});
