import assert from "node:assert/strict";
import { test } from "node:test";
import { type PreviewPiece, ResponsePreview } from "./response-preview.ts";

function startPreview(): { preview: ResponsePreview; pieces: PreviewPiece[] } {
  const pieces: PreviewPiece[] = [];
  return { preview: new ResponsePreview("evt_request", (piece) => pieces.push(piece)), pieces };
}

test("response preview: the pieces of a block are contiguous and carry the id of its event", () => {
  const { preview, pieces } = startPreview();
  for (const [text, blockIndex] of [
    ["One ", 0],
    ["Two", 2],
    ["more", 0],
  ] as const)
    preview.add({ type: "text_delta", text, blockIndex });
  const one = { type: "text" as const, text: "One more" };
  const two = { type: "text" as const, text: "Two" };
  preview.add({ type: "block", block: one, blockIndex: 0 });
  preview.add({ type: "block", block: two, blockIndex: 2 });
  assert.deepEqual(
    pieces.map(({ eventId, offset, text }) => [eventId, offset, text]),
    [
      [preview.idOf(one), 0, "One "],
      [preview.idOf(two), 0, "Two"],
      [preview.idOf(one), 4, "more"],
    ],
  );
  assert.notEqual(preview.idOf(one), preview.idOf(two));
});

test("response preview: blank text is held back until the first visible character", () => {
  const { preview, pieces } = startPreview();
  for (const text of ["\n", " ", "A"]) preview.add({ type: "text_delta", text, blockIndex: 0 });
  assert.deepEqual(
    pieces.map(({ offset, text }) => [offset, text]),
    [[0, "\n A"]],
  );
});

test("response preview: surrogate pairs are shown whole, invalid characters as they are stored", () => {
  const { preview, pieces } = startPreview();
  for (const text of ["a", "\ud83d", "\ude00", "\ud83d", "\0"]) {
    preview.add({ type: "text_delta", text, blockIndex: 0 });
  }
  assert.deepEqual(
    pieces.map(({ offset, text }) => [offset, text]),
    [
      [0, "a"],
      [1, "😀"],
      [3, "\ufffd\ufffd"],
    ],
  );
});

test("response preview: thinking is announced once, without its text", () => {
  const { preview, pieces } = startPreview();
  preview.add({ type: "thinking_started", blockIndex: 0 });
  preview.add({ type: "thinking_started", blockIndex: 0 });
  assert.deepEqual(
    pieces.map(({ type, text }) => [type, text]),
    [["agent.thinking", ""]],
  );
});
