import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type CommentedLine,
  cancelEditor,
  closeEditor,
  messageOf,
  NO_COMMENTS,
  openComment,
  openLine,
  remove,
  write,
} from "./comments.ts";

const at = (file: string, line: number, side: CommentedLine["side"] = "new"): CommentedLine => ({
  resourceId: "sesrsc_1",
  file,
  side,
  line,
  quote: `text of ${line}`,
});

const texts = ({ list }: { list: readonly { text: string }[] }) => list.map(({ text }) => text);

test("the message names file, line, the line itself and text of each comment, in the order of files and lines", () => {
  let comments = closeEditor(write(openLine(NO_COMMENTS, at("/data/a/b.js", 12)), " Rename it.\nPlease. "));
  comments = write(openLine(comments, at("/data/a/b.js", 2)), "Two");
  comments = write(openLine(comments, at("/data/a/a.js", 7, "old")), "Why?");
  assert.equal(
    messageOf(comments.list),
    [
      "Comments on lines of your changes: 3",
      "/data/a/a.js, line 7 before your changes:\n> text of 7\nWhy?",
      "/data/a/b.js, line 2:\n> text of 2\nTwo",
      "/data/a/b.js, line 12:\n> text of 12\nRename it.\nPlease.",
    ].join("\n\n"),
  );
});

test("a long line is quoted in part, and never half a character", () => {
  const { list } = write(openLine(NO_COMMENTS, { ...at("/a", 1), quote: `${"x".repeat(399)}😀` }), "Long");
  assert.match(messageOf(list), /\n> x{399}\ufffd …\nLong$/);
});

test("one line has one comment per text of the line; choosing it again opens that comment", () => {
  const one = write(openLine(NO_COMMENTS, at("/a", 1)), "One");
  const again = openLine(one, at("/a", 1));
  assert.deepEqual([again.list, again.open], [one.list, { id: one.list[0]?.id, before: "One" }]);
  assert.equal(openLine(one, { ...at("/a", 1), quote: "edited since" }).list.length, 2);
  assert.equal(openLine(one, at("/a", 1, "old")).list.length, 2);
});

test("a cancelled edit restores the text, and a comment without a text goes", () => {
  const kept = closeEditor(write(openLine(NO_COMMENTS, at("/a", 1)), "One"));
  const id = kept.list[0]?.id ?? "";
  const edited = write(openComment(kept, id), "Two");
  assert.deepEqual([texts(edited), texts(cancelEditor(edited))], [["Two"], ["One"]]);
  assert.deepEqual(cancelEditor(write(openLine(kept, at("/a", 2)), "New")), kept);
  assert.deepEqual(openLine(openLine(NO_COMMENTS, at("/a", 1)), at("/a", 2)).list.length, 1);
  assert.deepEqual(closeEditor(write(openComment(kept, id), " ")), NO_COMMENTS);
});

test("what is sent is removed, and what was written meanwhile stays", () => {
  const sent = closeEditor(write(openLine(NO_COMMENTS, at("/a", 1)), "Sent"));
  const later = write(openLine(sent, at("/a", 2)), "Later");
  const left = remove(
    later,
    sent.list.map(({ id }) => id),
  );
  assert.deepEqual([texts(left), left.open], [["Later"], later.open]);
  assert.deepEqual(remove(later, [later.open?.id ?? ""]).open, null);
});
