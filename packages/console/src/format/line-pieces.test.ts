import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cutLine } from "./line-pieces.ts";

const keyword = (text: string) => ({ text, name: "keyword" });
const plain = (text: string) => ({ text, name: null });

test("a line is cut where its look changes and where a mark begins or ends", () => {
  assert.deepEqual(cutLine("return one;", [keyword("return"), plain(" one;")], [[7, 10]]), [
    { text: "return", name: "keyword", marked: false },
    { text: " ", name: null, marked: false },
    { text: "one", name: null, marked: true },
    { text: ";", name: null, marked: false },
  ]);
});

test("tokens of a longer line fit its beginning; those of another line count as none", () => {
  assert.deepEqual(cutLine("ret", [keyword("return")], []), [
    { text: "ret", name: "keyword", marked: false },
  ]);
  assert.deepEqual(cutLine("yield", [keyword("return")], []), [{ text: "yield", name: null, marked: false }]);
  assert.deepEqual(cutLine("return", [keyword("re")], []), [{ text: "return", name: null, marked: false }]);
});

test("the pieces are the line, and what is marked is in the marks", () => {
  const at = fc.nat(12);
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 4 })),
      fc.uniqueArray(at, { maxLength: 6 }),
      (parts, ends) => {
        const text = parts.join("");
        const sorted = ends.sort((one, other) => one - other);
        const marks = sorted.flatMap((from, index): [number, number][] =>
          index % 2 === 0 ? [[from, sorted[index + 1] ?? from]] : [],
        );
        const pieces = cutLine(text, parts.map(keyword), marks);
        assert.equal(pieces.map((piece) => piece.text).join(""), text);
        const shown = pieces.flatMap((piece) => Array(piece.text.length).fill(piece.marked));
        const meant = Array.from(text.split(""), (_, index) =>
          marks.some(([from, to]) => from <= index && index < to),
        );
        assert.deepEqual(shown, meant);
      },
    ),
  );
});
