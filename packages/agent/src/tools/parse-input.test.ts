import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { bash, grep, read } from "../../test-support/built-in-tools.ts";
import { edit } from "./edit.ts";
import { parseInput } from "./parse-input.ts";
import type { Tool } from "./tool.ts";

const parsed = (tool: Tool, given: unknown) => {
  const { data, error } = parseInput(tool.input, given);
  return error === undefined ? data : z.prettifyError(error);
};

test("input whose meaning is plain: repaired", () => {
  const cases: [Tool, object, object][] = [
    [bash, { command: "ls", timeout: "5000" }, { command: "ls", timeout: 5000 }],
    [bash, { command: "ls", restart: "False", description: null }, { command: "ls", restart: false }],
    [bash, { command: "ls", run_in_background: null }, { command: "ls" }],
    [read, { filePath: "a", offset: " 3 " }, { file_path: "a", offset: 3 }],
    [read, { file_path: "a", view_range: "[1, -1]" }, { file_path: "a", view_range: [1, -1] }],
    [
      edit,
      { filePath: "a", oldString: "x", newString: "", replaceAll: "true" },
      { file_path: "a", old_string: "x", new_string: "", replace_all: true },
    ],
    [
      grep,
      { pattern: "x", "-n": "true", headLimit: "5", outputMode: "content" },
      { pattern: "x", "-n": true, head_limit: 5, output_mode: "content" },
    ],
  ];
  for (const [tool, given, expected] of cases) assert.deepEqual(parsed(tool, given), expected);
});

test("input that may mean something else: named", () => {
  const cases: [Tool, unknown, RegExp][] = [
    [bash, { command: "ls", run_in_background: true }, /run_in_background/],
    [bash, { command: "ls", timeout: "soon" }, /expected number.*\n.*at timeout/],
    [bash, { command: "ls", timeout: "5000", other: 1 }, /"other"[\s\S]*expected number/],
    [bash, { command: 5 }, /expected string/],
    [bash, { command: null }, /expected string/],
    [read, { file_path: "a", filePath: "b" }, /filePath/],
    [read, "a", /expected object/],
    [read, null, /expected object/],
  ];
  for (const [tool, given, words] of cases) assert.match(String(parsed(tool, given)), words);
});
