import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cut, firstLines, plainLine, plainText } from "./plain-text.ts";

/** Unsafe characters by Unicode: controls except newline, and marks that change the text direction. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const pieces = fc.array(
  fc
    .constantFrom("a", " ", "\n", "\r", "\r\n", "\t", "\u001b", "\u001b[2J", "\u009b31m", "\u0085")
    .chain((piece) =>
      fc.oneof(
        fc.constant(piece),
        fc.constantFrom(
          "\u061c",
          "\u200e",
          "\u200f",
          "\u202a",
          "\u202e",
          "\u2066",
          "\u2067",
          "\u2068",
          "\u2069",
        ),
      ),
    ),
);

test("plainText: no control character but the newline is left, nor a mark that changes the direction", () => {
  fc.assert(
    fc.property(pieces, (texts) => {
      const plain = plainText(texts.join(""));
      assert.doesNotMatch(plain.replaceAll("\n", ""), UNSAFE);
      assert.doesNotMatch(plainLine(texts.join("")), UNSAFE);
    }),
  );
});

test("plainText: of a line that is written over, the last writing; a tab is four columns", () => {
  assert.equal(plainText("10%\r20%\r\nx\ty\r"), "20%\nx    y");
});

test("cut: no more columns than the width", () => {
  assert.equal(cut("abcdef", 6), "abcdef");
  assert.equal(cut("abcdefg", 6), "abcde…");
});

test("firstLines: one line more is shown, two are counted", () => {
  assert.deepEqual(firstLines("\n \na\nb\nc\n\n", 2), { lines: ["a", "b", "c"], more: 0 });
  assert.deepEqual(firstLines("a\nb\nc\nd", 2), { lines: ["a", "b"], more: 2 });
});
