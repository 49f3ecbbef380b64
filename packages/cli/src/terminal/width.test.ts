import assert from "node:assert/strict";
import { test } from "node:test";
import { cut } from "./plain-text.ts";
import { fittedTable, table } from "./table.ts";
import { widthOf } from "./width.ts";

test("width: columns of a terminal, not characters", () => {
  for (const [text, width] of [
    ["abc", 3],
    ["é", 1],
    ["e\u0301", 1],
    ["日本語", 6],
    ["ﾊﾝｶｸ", 4],
    ["한글", 4],
    ["ＡＢ", 4],
    ["🚀", 2],
    ["👩‍💻", 2],
    ["❤️", 2],
    ["…│·", 3],
    ["a\u200bb", 2],
  ] as const)
    assert.equal(widthOf(text), width, text);
});

test("cut: no wider than asked, with … where something is left out", () => {
  assert.equal(cut("日本語", 6), "日本語");
  assert.equal(cut("日本語", 5), "日本…");
  assert.equal(cut("日本語", 4), "日…");
  assert.equal(cut("abcdef", 4), "abc…");
  assert.equal(cut("👩‍💻👩‍💻", 3), "👩‍💻…");
});

test("table: columns stay aligned behind wide characters", () => {
  assert.deepEqual(
    table([
      ["日本", "x"],
      ["\u001b[2mab\u001b[22m", "y"],
    ]),
    ["日本  x", "\u001b[2mab\u001b[22m    y"],
  );
});

test("fitted table: the columns that may shrink give what is missing, the widest first, down to 8", () => {
  const head = ["ID", "NAME", "TITLE", "DAY"];
  const row = ["id-of-sixteen-ch", "a name of twenty-two c", "short", "monday"];
  const fitted = (columns: number | undefined) =>
    fittedTable(head, [row], { shrinks: [1, 2], columns, styleHead: (text) => text });
  const [, line = ""] = fitted(50);
  assert.equal(line, "id-of-sixteen-ch  a name of twenty…  short  monday");
  assert.equal(widthOf(line), 50);
  assert.equal(fitted(20)[1], "id-of-sixteen-ch  a name …  short  monday");
  assert.deepEqual(fitted(undefined), table([head, row]));
});
