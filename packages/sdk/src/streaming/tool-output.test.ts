import assert from "node:assert/strict";
import { test } from "node:test";
import { addOutput, type OutputText } from "./tool-output.ts";

function textOf(pieces: [offset: number, text: string][], max?: number): string {
  let known: OutputText | undefined;
  for (const [offset, text] of pieces) known = addOutput(known, { offset, text }, max);
  return known?.text ?? "";
}

test("addOutput: pieces in order, again, and overlapping → each character once", () => {
  assert.equal(
    textOf([
      [0, "ab"],
      [2, "c\n"],
      [0, "abc"],
      [3, "\nd"],
      [4, "d"],
    ]),
    "abc\nd",
  );
});

test("addOutput: what was left out is a line, also before the first piece", () => {
  assert.equal(
    textOf([
      [7, "ab"],
      [20, "c\n"],
      [30, "d"],
    ]),
    "…\nab\n…\nc\n…\nd",
  );
});

test("addOutput: too long a text → its last lines, or the last characters of a line", () => {
  assert.equal(textOf([[0, "one\ntwo\nthree\n"]], 10), "…\nthree\n");
  assert.equal(
    textOf(
      [
        [0, "x".repeat(20)],
        [20, "y"],
      ],
      10,
    ),
    `…\n${"x".repeat(9)}y`,
  );
});
