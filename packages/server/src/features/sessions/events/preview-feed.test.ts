import assert from "node:assert/strict";
import { test } from "node:test";
import type { PreviewPiece } from "@berth/agent";
import fc from "fast-check";
import type { StreamedEvent } from "./event-store.ts";
import { PreviewFeed } from "./preview-feed.ts";

function piece(text: string, offset: number, changes: Partial<PreviewPiece> = {}): PreviewPiece {
  return { requestId: "evt_r", eventId: "evt_a", type: "agent.message", offset, text, ...changes };
}

function message(text: string, id = "evt_a"): StreamedEvent {
  return { seq: 1, id, type: "agent.message", json: JSON.stringify({ content: [{ type: "text", text }] }) };
}

function requestEnd(id = "evt_r"): StreamedEvent {
  const json = JSON.stringify({ model_request_start_id: id });
  return { seq: 2, id: "evt_end", type: "span.model_request_end", json };
}

/** The data of frames. Asserts that none has an id. */
function dataOf(frames: string): Record<string, unknown>[] {
  return frames
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => {
      const [event = "", data = "", ...rest] = frame.split("\n");
      const parsed = JSON.parse(data.slice("data: ".length));
      assert.deepEqual([event, rest], [`event: ${parsed.type}`, []]);
      return parsed;
    });
}

function textOf(frames: string): string {
  return dataOf(frames)
    .map((frame) => (frame.delta as { content: { text: string } } | undefined)?.content.text ?? "")
    .join("");
}

test("frames: start, deltas in order, and the rest before the stored event", () => {
  const feed = new PreviewFeed(["agent.message"]);
  feed.add(piece("Hel", 0));
  feed.add(piece("lo", 3));
  const frames = dataOf(feed.frames() + feed.before(message("Hello you")));
  const delta = (text: string) => ({
    type: "event_delta",
    event_id: "evt_a",
    delta: { type: "content_delta", index: 0, content: { type: "text", text } },
  });
  assert.deepEqual(frames, [
    { type: "event_start", event: { type: "agent.message", id: "evt_a" } },
    delta("Hel"),
    delta("lo"),
    delta(" you"),
  ]);
  feed.add(piece("Hello you", 0));
  assert.equal(feed.frames(), "", "nothing after it is stored");
  feed.before(requestEnd());
  feed.add(piece("Late", 0, { eventId: "evt_b" }));
  assert.equal(feed.frames(), "", "nothing of a request that has ended");
});

test("lost or repeated pieces → what is sent is always a prefix, and the whole text at the end", () => {
  const text = "The quick brown fox";
  const slices = fc.array(
    fc
      .tuple(fc.nat(text.length), fc.nat(6))
      .map(([start, length]) => piece(text.slice(start, start + length), start)),
  );
  fc.assert(
    fc.property(slices, (pieces) => {
      const feed = new PreviewFeed(["agent.message"]);
      let shown = "";
      for (const one of pieces) {
        feed.add(one);
        shown += feed.frames();
        assert.ok(text.startsWith(textOf(shown)));
      }
      shown += feed.before(message(text));
      assert.ok(shown === "" || textOf(shown) === text);
    }),
  );
});

test("a reader that begins after a message, or after its request → nothing of it, and all of what comes then", () => {
  const later = piece("New", 0, { requestId: "evt_s", eventId: "evt_b" });
  for (const [before, sent] of [
    [{ ended: null, stored: ["evt_a"] }, false],
    [{ ended: "evt_r", stored: [] }, false],
    [{ ended: "evt_q", stored: ["evt_x"] }, true],
  ] as const) {
    const feed = new PreviewFeed(["agent.message"], before);
    feed.add(piece("Hello", 0));
    assert.equal(textOf(feed.frames()), sent ? "Hello" : "", JSON.stringify(before));
    feed.add(later);
    assert.equal(textOf(feed.frames()), "New");
  }
});

test("only requested types are sent; thinking has a start only", () => {
  const feed = new PreviewFeed(["agent.thinking"]);
  feed.add(piece("x", 0));
  feed.add(piece("", 0, { type: "agent.thinking", eventId: "evt_t" }));
  feed.add(piece("", 0, { type: "agent.thinking", eventId: "evt_t" }));
  assert.deepEqual(dataOf(feed.frames()), [
    { type: "event_start", event: { type: "agent.thinking", id: "evt_t" } },
  ]);
});

test("a lagging reader → its buffer is limited, and it gets no more of that event", () => {
  const feed = new PreviewFeed(["agent.message"]);
  const text = "x".repeat(10_000);
  for (let offset = 0; offset < 1_000_000; offset += text.length) feed.add(piece(text, offset));
  assert.ok(feed.frames().length < 300_000);
  feed.add(piece(text, 1_000_000));
  assert.equal(feed.before(message("x".repeat(1_010_000))), "");
});
