import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolUse } from "../log/view.ts";
import { summarize } from "./call-summary.ts";

const about = (name: string, input: object) =>
  summarize({ type: "agent.tool_use", name, input } as unknown as ToolUse).about;

test("a call is summarized by what it is about", () => {
  assert.equal(about("Bash", { command: "ls -l\ncat x" }), "ls -l");
  assert.equal(about("Read", { file_path: "/data/a.ts", offset: 10, limit: 5 }), "/data/a.ts :10–14");
  assert.equal(about("Grep", { pattern: "TODO", path: "/data" }), "TODO  in  /data");
  assert.equal(about("Unknown", { a: 1, b: { c: "d" } }), 'a: 1, b: {"c":"d"}');
});

test("input of any type is summarized", () => {
  for (const input of [{}, { command: 7 }, { file_path: null }, { pattern: ["x"] }])
    for (const name of ["Bash", "Read", "Write", "Edit", "Glob"])
      assert.equal(typeof about(name, input), "string");
});
