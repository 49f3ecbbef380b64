import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { headOf, splitLines, tailOf } from "./split-lines.ts";

test("the parts make up the text, and none is too long", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 30 })).map((lines) => lines.join("\n")),
      fc.integer({ min: 1, max: 10 }),
      (text, max) => {
        const parts = splitLines(text, max);
        const joined = parts
          .map(({ number, text: part }, index) => (number !== null && index > 0 ? `\n${part}` : part))
          .join("");
        assert.equal(joined, text);
        assert.ok(parts.every((part) => part.text.length <= max));
      },
    ),
  );
});

test("the head has at most so many lines and characters, and tells what is left", () => {
  assert.deepEqual(headOf("a\nb\nc\nd\n", 2, 100), { head: "a\nb", cutLines: 2, cut: true });
  assert.deepEqual(headOf("a\nb\n", 2, 100), { head: "a\nb", cutLines: 0, cut: false });
  assert.deepEqual(headOf("abcdef", 5, 3), { head: "abc", cutLines: 1, cut: true });
  assert.deepEqual(headOf("", 5, 3), { head: "", cutLines: 0, cut: false });
});

test("tailOf: the last lines, or the last characters of a line that is too long", () => {
  for (const [text, tail] of [
    ["", ""],
    ["one\ntwo\nthree\n", "two\nthree"],
    ["one\n\n", "one\n"],
    ["x".repeat(50), "x".repeat(20)],
    [`${"x".repeat(50)}\nab`, `${"x".repeat(17)}\nab`],
  ] as const)
    assert.equal(tailOf(text, 2, 20), tail);
});
