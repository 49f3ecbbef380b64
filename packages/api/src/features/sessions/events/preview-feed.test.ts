import assert from "node:assert/strict";
import { test } from "node:test";
import type { PreviewPiece } from "@berth/agent";
import type { OutputPiece } from "@berth/store/notify";
import type { StreamedEvent } from "@berth/store/session-log";
import fc from "fast-check";
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

/** Returns the data of frames. Asserts that none has an id. */
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

function output(text: string, offset: number, toolUseId = "evt_u"): OutputPiece {
  return { type: "agent.tool_output", toolUseId, offset, text };
}

function result(call: string): StreamedEvent {
  return { seq: 3, id: "evt_z", type: "agent.tool_result", json: JSON.stringify({ tool_use_id: call }) };
}

function shown(frames: string): [call: unknown, offset: unknown, text: unknown][] {
  return dataOf(frames).map(({ type, tool_use_id, offset, text }) => {
    assert.equal(type, "agent.tool_output");
    return [tool_use_id, offset, text];
  });
}

test("what calls print: each piece once and in order, with offsets that tell the gaps, and none after the result", () => {
  const feed = new PreviewFeed(["agent.tool_output"]);
  feed.add(output("", 0));
  assert.equal(feed.frames(), "", "that a call runs is no frame");
  feed.add(output("abc", 0));
  feed.add(output("bcde", 1));
  feed.add(output("abc", 0));
  feed.add(output("x", 0, "evt_v"));
  feed.add(output("later", 90));
  feed.add(piece("text", 0));
  assert.deepEqual(shown(feed.before(result("evt_u"))), [
    ["evt_u", 0, "abc"],
    ["evt_u", 3, "de"],
    ["evt_v", 0, "x"],
    ["evt_u", 90, "later"],
  ]);
  feed.add(output("late", 95));
  feed.add(output("y", 1, "evt_v"));
  assert.deepEqual(shown(feed.frames()), [["evt_v", 1, "y"]]);
});

test("what calls print: a reader that did not ask, or begins after the result → nothing", () => {
  for (const feed of [
    new PreviewFeed(["agent.message"]),
    new PreviewFeed(["agent.tool_output"], { ended: "evt_r", stored: ["evt_u"] }),
  ]) {
    feed.add(output("abc", 0));
    assert.equal(feed.frames(), "");
  }
});

test("what calls print: a lagging reader → its buffer is limited, and the next offset tells what was left out", () => {
  const feed = new PreviewFeed(["agent.tool_output"]);
  const text = "x".repeat(8_000);
  for (let offset = 0; offset < 1_000_000; offset += text.length) feed.add(output(text, offset));
  const frames = feed.frames();
  assert.ok(frames.length < 300_000);
  feed.add(output("end", 1_000_000));
  assert.deepEqual(shown(feed.frames()), [["evt_u", 1_000_000, "end"]]);
});

test("isWorking: from the beginning of a turn, or what a call prints, to the end of the turn", () => {
  const event = (type: string): StreamedEvent => ({ seq: 1, id: "evt_e", type, json: "{}" });
  for (const begin of [
    (feed: PreviewFeed) => feed.add(output("", 0)),
    (feed: PreviewFeed) => void feed.before(event("session.status_running")),
    (feed: PreviewFeed) => void feed.before(event("span.model_request_start")),
  ]) {
    const feed = new PreviewFeed(["agent.tool_output"]);
    assert.equal(feed.isWorking, false);
    begin(feed);
    assert.equal(feed.isWorking, true);
    feed.before(event("session.status_idle"));
    assert.equal(feed.isWorking, false);
  }
});

test("the end of a request in a call's own loop ends no preview, and no output of what runs beside it", () => {
  const json = JSON.stringify({ model_request_start_id: "evt_nested", parent_tool_use_id: "evt_call" });
  const nestedEnd: StreamedEvent = { seq: 3, id: "evt_nested_end", type: "span.model_request_end", json };
  const feed = new PreviewFeed(["agent.message", "agent.tool_output"]);
  feed.add(piece("Hel", 0));
  feed.add({ type: "agent.tool_output", toolUseId: "evt_bash", offset: 0, text: "one\n" });
  feed.frames();
  assert.equal(feed.before(nestedEnd), "");
  feed.add(piece("Hello", 0));
  feed.add({ type: "agent.tool_output", toolUseId: "evt_bash", offset: 0, text: "one\ntwo\n" });
  const frames = dataOf(feed.frames());
  assert.deepEqual(
    frames.map(({ type, offset }) => [type, offset]),
    [
      ["event_delta", undefined],
      ["agent.tool_output", 4],
    ],
  );
});
