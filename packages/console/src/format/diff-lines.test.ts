import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { countChanges, firstLines, hunksBetween, parseUnified, sideBySide } from "./diff-lines.ts";

const text = fc
  .array(fc.constantFrom("a", "b", "c", "let x = 1;", "let y = 1;", ""), { maxLength: 30 })
  .map((lines) => lines.map((line) => `${line}\n`).join(""));

test("old lines and new lines of a whole diff are the two texts", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after);
      const lines = hunksBetween(before, after, 100).flatMap((hunk) => hunk.lines);
      const side = (kind: "added" | "removed") =>
        lines
          .filter((line) => line.kind !== kind)
          .map((line) => `${line.text}\n`)
          .join("");
      assert.equal(side("added"), before);
      assert.equal(side("removed"), after);
    }),
  );
});

test("lines have their numbers, and no line is in two hunks", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const [olds, news] = [before.split("\n"), after.split("\n")];
      const seen = new Set<string>();
      for (const line of hunksBetween(before, after).flatMap((hunk) => hunk.lines)) {
        if (line.old !== null) assert.equal(olds[line.old - 1], line.text);
        if (line.new !== null) assert.equal(news[line.new - 1], line.text);
        const name = `${line.old} ${line.new}`;
        assert.ok(!seen.has(name), name);
        seen.add(name);
      }
    }),
  );
});

test("far changes are in hunks of their own, with three lines around each", () => {
  const before = Array.from({ length: 40 }, (_, n) => `line ${n}\n`);
  const after = before.with(5, "five\n").with(30, "thirty\n");
  const hunks = hunksBetween(before.join(""), after.join(""));
  assert.deepEqual(
    hunks.map(({ header }) => header),
    ["@@ -3,7 +3,7 @@", "@@ -28,7 +28,7 @@"],
  );
  assert.deepEqual(countChanges(hunks), { added: 2, removed: 2 });
});

test("a changed line is marked where it differs; lines with nothing in common are not", () => {
  const [hunk] = hunksBetween("const a = 1;\n", "const b = 1;\n");
  assert.deepEqual(
    hunk?.lines.map(({ marks }) => marks),
    [[[6, 7]], [[6, 7]]],
  );
  const [other] = hunksBetween("entirely\n", "different\n");
  assert.deepEqual(
    other?.lines.map(({ marks }) => marks),
    [null, null],
  );
});

test("a unified diff is read with its numbers; lines that tell of a missing line end are not lines", () => {
  const diff =
    "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -3,2 +3,2 @@ fn\n same\n-old\n+new\n\\ No newline at end of file\n";
  const [hunk] = parseUnified(diff);
  assert.deepEqual(
    hunk?.lines.map(({ kind, old, new: fresh, text }) => [kind, old, fresh, text]),
    [
      ["same", 3, 3, "same"],
      ["removed", 4, null, "old"],
      ["added", null, 4, "new"],
    ],
  );
});

test("side by side, a change stands beside what it replaces", () => {
  const [hunk] = hunksBetween("a\nb\nc\n", "a\nB\nbb\nc\n");
  const rows = sideBySide(hunk?.lines ?? []).map(([left, right]) => [
    left?.text ?? null,
    right?.text ?? null,
  ]);
  assert.deepEqual(rows, [
    ["a", "a"],
    ["b", "B"],
    [null, "bb"],
    ["c", "c"],
  ]);
});

test("the first lines of a diff are those of its first hunks, and the rest is counted", () => {
  fc.assert(
    fc.property(text, text, fc.nat(20), (before, after, count) => {
      const hunks = hunksBetween(before, after, 1);
      const all = hunks.flatMap(({ lines }) => lines);
      const { shown, left } = firstLines(hunks, count);
      assert.deepEqual(
        shown.flatMap(({ lines }) => lines),
        all.slice(0, count),
      );
      assert.equal(left, Math.max(0, all.length - count));
    }),
  );
});
