import assert from "node:assert/strict";
import { test } from "node:test";
import { keyNames } from "./key-names.ts";

test("keys are called what is printed on them", () => {
  assert.deepEqual(keyNames("mod+k", true), ["⌘K"]);
  assert.deepEqual(keyNames("mod+k", false), ["Ctrl K"]);
  assert.deepEqual(keyNames("mod+Enter", true), ["⌘↵"]);
  assert.deepEqual(keyNames("g s", true), ["g", "s"]);
  assert.deepEqual(keyNames("Escape", false), ["esc"]);
  assert.deepEqual(keyNames(" ", false), ["space"]);
});
