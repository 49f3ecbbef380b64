import assert from "node:assert/strict";
import { test } from "node:test";
import { mayDumpCore } from "./core-dumps.ts";

test("core files: only in the directory of the process", () => {
  assert.deepEqual(
    ["core", "core.%e.%p"].map((pattern) => mayDumpCore(pattern)),
    [true, true],
  );
  const elsewhere = ["", "|/usr/share/apport/apport -p%p", "/var/cores/core.%p", "../core", "cores/%p"];
  assert.deepEqual(new Set(elsewhere.map((pattern) => mayDumpCore(pattern))), new Set([false]));
});
