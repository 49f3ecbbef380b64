import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOf } from "./lines.ts";

test("lines without words say nothing", () => {
  assert.deepEqual(linesOf(" a.example \n\n\t\nb.example"), ["a.example", "b.example"]);
  assert.deepEqual(linesOf(""), []);
});
