import assert from "node:assert/strict";
import { test } from "node:test";
import { type PreviewPiece, ResponsePreview } from "./response-preview.ts";

function announced(): { answer: ResponsePreview; pieces: PreviewPiece[] } {
  const pieces: PreviewPiece[] = [];
  return { answer: new ResponsePreview("evt_request", (piece) => pieces.push(piece)), pieces };
}

test("pieces of a block follow each other, and the block has their id", () => {
  const { answer, pieces } = announced();
  for (const [text, blockIndex] of [
    ["One ", 0],
    ["Two", 2],
    ["more", 0],
  ] as const)
    answer.take({ type: "text_delta", text, blockIndex });
  const one = { type: "text" as const, text: "One more" };
  const two = { type: "text" as const, text: "Two" };
  answer.take({ type: "block", block: one, blockIndex: 0 });
  answer.take({ type: "block", block: two, blockIndex: 2 });
  assert.deepEqual(
    pieces.map(({ eventId, offset, text }) => [eventId, offset, text]),
    [
      [answer.idOf(one), 0, "One "],
      [answer.idOf(two), 0, "Two"],
      [answer.idOf(one), 4, "more"],
    ],
  );
  assert.notEqual(answer.idOf(one), answer.idOf(two));
});

test("a text is shown from its first visible character on, with what is before it", () => {
  const { answer, pieces } = announced();
  for (const text of ["\n", " ", "A"]) answer.take({ type: "text_delta", text, blockIndex: 0 });
  assert.deepEqual(
    pieces.map(({ offset, text }) => [offset, text]),
    [[0, "\n A"]],
  );
});

test("a character that comes in halves is shown whole, and what is no character as it is stored", () => {
  const { answer, pieces } = announced();
  for (const text of ["a", "\ud83d", "\ude00", "\ud83d", "\0"]) {
    answer.take({ type: "text_delta", text, blockIndex: 0 });
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

test("thinking is announced once, with nothing of it", () => {
  const { answer, pieces } = announced();
  answer.take({ type: "thinking_started", blockIndex: 0 });
  answer.take({ type: "thinking_started", blockIndex: 0 });
  assert.deepEqual(
    pieces.map(({ type, text }) => [type, text]),
    [["agent.thinking", ""]],
  );
});
