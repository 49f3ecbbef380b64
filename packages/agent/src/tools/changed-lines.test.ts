// Subject: the result of a Read of lines that the model has in another version.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { changedLines, isChangedLines } from "./changed-lines.ts";

const numbered = (lines: readonly string[], first = 1) =>
  lines.map((line, index) => `${first + index}\t${line}`).join("\n");
const FORTY = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
const withLines = (at: number, removed: number, ...added: string[]) => FORTY.toSpliced(at, removed, ...added);

test("a line, some lines, lines that are gone or new: those with two around them, and how the others moved", () => {
  const shown = (now: readonly string[]) => changedLines(numbered(FORTY), numbered(now));
  const start = "(As in your Read of these lines above, except for its line";
  assert.equal(
    shown(withLines(6, 1, "seven")),
    `${start}s 5 to 9, which are now:)\n5\tline 5\n6\tline 6\n7\tseven\n8\tline 8\n9\tline 9`,
  );
  assert.equal(
    shown(withLines(6, 2)),
    `${start}s 5 to 10, which are now:)\n5\tline 5\n6\tline 6\n7\tline 9\n8\tline 10\n(Its line 11 is line 9 now, and so on.)`,
  );
  assert.equal(
    shown(withLines(0, 0, "zero")),
    `${start}s 1 to 2, which are now:)\n1\tzero\n2\tline 1\n3\tline 2\n(Its line 3 is line 4 now, and so on.)`,
  );
  assert.equal(shown(withLines(39, 1)), `${start}s 38 to 40, which are now:)\n38\tline 38\n39\tline 39`);
});

test("remarks below the lines are told where they changed, and move nothing", () => {
  const remark = (of: number) => `[Lines 1 to 40 of ${of}. Use offset to read on.]`;
  assert.equal(
    changedLines(`${numbered(FORTY)}\n${remark(90)}`, `${numbered(FORTY)}\n${remark(91)}`),
    `(As in your Read of these lines above, except for its lines 39 to 40, which are now:)\n39\tline 39\n40\tline 40\n${remark(91)}`,
  );
  const text = changedLines(
    `${numbered(FORTY)}\n[Lines end in CR LF.]`,
    `${numbered(withLines(39, 1, "x"))}\n[Lines end in CR LF.]`,
  );
  assert.match(
    text ?? "",
    /its lines 38 to 40, which are now:\)\n38\tline 38\n39\tline 39\n40\tx\n\[Lines end in CR LF\.\]$/,
  );
});

test("nothing in common, or no lines: the whole is to be shown", () => {
  assert.equal(changedLines(numbered(FORTY), numbered(FORTY.map((line) => `${line}!`))), null);
  assert.equal(changedLines("(The file is empty.)", numbered(FORTY)), null);
  assert.equal(changedLines("/data/a.txt does not exist.", numbered(FORTY)), null);
});

/** Returns what a model knows after the result: the lines that it had, with the changes in the result. */
function applied(before: string, told: string): string {
  const [heading = "", ...lines] = told.split("\n");
  const [, first, last = first] = /its lines? (\d+)(?: to (\d+))?, which/.exec(heading) ?? [];
  const moved = /^\(Its line (\d+) is line (\d+) now, and so on\.\)$/.exec(lines.at(-1) ?? "");
  if (moved !== null) lines.pop();
  const shift = moved === null ? 0 : Number(moved[2]) - Number(moved[1]);
  const had = before.split("\n").map((line) => ({ number: Number(line.split("\t")[0]), line }));
  return [
    ...had.filter(({ number }) => number < Number(first)).map(({ line }) => line),
    ...lines,
    ...had
      .filter(({ number }) => number > Number(last))
      .map(({ number, line }) => `${number + shift}\t${line.slice(line.indexOf("\t") + 1)}`),
  ].join("\n");
}

test("any lines before and after: who has the one and is told of the other has both", () => {
  const word = fc.constantFrom("a", "b", "", "1\tx", "{", "(Its line 1 is line 2 now, and so on.)");
  const file = fc.array(word, { minLength: 1, maxLength: 30 });
  const edit = fc.record({ at: fc.nat(30), removed: fc.nat(4), added: fc.array(word, { maxLength: 4 }) });
  const first = fc.integer({ min: 1, max: 120 });
  fc.assert(
    fc.property(file, fc.array(edit, { minLength: 1, maxLength: 3 }), first, (lines, edits, from) => {
      const long = [...lines, ...FORTY, ...lines];
      const now = edits.reduce((some, { at, removed, added }) => some.toSpliced(at, removed, ...added), long);
      const [had, has] = [numbered(long, from), numbered(now, from)];
      const told = had === has ? null : changedLines(had, has);
      if (told === null) return;
      assert.ok(isChangedLines(told));
      assert.ok(told.length <= has.length / 2);
      assert.equal(applied(had, told), has);
    }),
    { numRuns: 2_000 },
  );
});
