import assert from "node:assert/strict";
import { test } from "node:test";
import { savedName } from "./saved-name.ts";

test("savedName: one component of a path, on every system", () => {
  const names = {
    "report.csv": "report.csv",
    "out/sub/report.csv": "report.csv",
    "..\\..\\evil.bat": "evil.bat",
    "../../x": "x",
    "C:evil.bat": "C_evil.bat",
    "a.txt:stream": "a.txt_stream",
    "a/..": "download",
    ".. ": "download",
    "": "download",
    ".hidden": ".hidden",
    "a\0b\nc": "a_b_c",
  };
  for (const [path, name] of Object.entries(names)) assert.equal(savedName(path), name, JSON.stringify(path));
});
