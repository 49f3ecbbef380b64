import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatCsv, parseCsv } from "./csv.ts";

test("what is written as a table is read as it was", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", " ", "é"), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 }), (rows) => {
      const text = rows
        .map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(","))
        .join("\r\n");
      assert.deepEqual(parseCsv(text, ",", 100), rows);
    }),
  );
});

test("plain cells, tabs, and no more rows than asked for", () => {
  assert.deepEqual(parseCsv("a\tb\nc\td\n", "\t", 10), [
    ["a", "b"],
    ["c", "d"],
  ]);
  assert.deepEqual(parseCsv("a\nb\nc", ",", 2), [["a"], ["b"]]);
  assert.deepEqual(parseCsv("", ",", 2), []);
});

test("rows are read back as they were written, and a text that looks like a formula is text", () => {
  const rows = [
    ["a", 'quo"ted', "two\nlines", "with, comma", ""],
    ["-1", -1, 0.5, "=1+1", "@a"],
  ];
  assert.deepEqual(parseCsv(formatCsv(rows), ",", 10), [
    ["a", 'quo"ted', "two\nlines", "with, comma", ""],
    ["'-1", "-1", "0.5", "'=1+1", "'@a"],
  ]);
});
