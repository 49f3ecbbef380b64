import assert from "node:assert/strict";
import { test } from "node:test";
import { hasUnseen, piecesOf, showUnseen } from "./visible-text.ts";

test("controls of direction, zero-width spaces and control characters get a visible name", () => {
  assert.equal(showUnseen("a\u202eb\u200bc\u0007d\ufeff"), "a⟨U+202E⟩b⟨U+200B⟩c⟨U+0007⟩d⟨U+FEFF⟩");
  assert.ok(hasUnseen("a\u2066"));
});

test("text in any script, emoji, tabs and line ends stay", () => {
  for (const text of ["שלום", "می‌خواهم", "👩‍👩‍👧", "a\tb\nc", "日本"]) assert.equal(showUnseen(text), text);
  assert.equal(showUnseen("a\r\nb"), "a\nb");
});

test("pieces set the names apart", () => {
  assert.deepEqual(piecesOf("a\u202eb"), [
    { text: "a", unseen: false },
    { text: "⟨U+202E⟩", unseen: true },
    { text: "b", unseen: false },
  ]);
});
