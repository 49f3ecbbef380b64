import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Frame, FrameParser } from "./server-sent-events.ts";

function parse(chunks: Uint8Array[]): Frame[] {
  const parser = new FrameParser();
  return chunks.flatMap((chunk) => parser.push(chunk));
}

const bytes = (text: string) => new TextEncoder().encode(text);
const lineText = fc
  .string({ unit: "grapheme", maxLength: 40 })
  .map((text) => text.replaceAll(/[\r\n\0\ufeff]/g, "·"));
const frame = fc.record({
  id: fc.option(lineText),
  event: lineText,
  data: fc.array(lineText, { minLength: 1, maxLength: 4 }),
  comment: fc.boolean(),
});

test("FrameParser: any split into chunks and any line endings give the same frames", () => {
  const newline = fc.constantFrom("\n", "\r", "\r\n");
  const cuts = fc.array(fc.nat(), { maxLength: 30 });
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 6 }), newline, cuts, (frames, end, places) => {
      const stream = bytes(frames.map((one) => write(one, end)).join(""));
      const expected = frames.map(({ id, event, data }) => ({
        id,
        event: event || "message",
        data: data.join("\n"),
      }));
      assert.deepEqual(parse(split(stream, places)), expected);
    }),
    { numRuns: 500 },
  );
});

test("FrameParser: a split at each byte gives the same frames", () => {
  const stream = bytes(
    '\ufeff: hi\r\n\r\nid: evt_1\r\nevent: agent.message\r\ndata: {"t":"ä🎉"}\r\n\r\nid: evt_2\rdata\r\rdata: x\n\n',
  );
  const expected = [
    { id: "evt_1", event: "agent.message", data: '{"t":"ä🎉"}' },
    { id: "evt_2", event: "message", data: "" },
    { id: null, event: "message", data: "x" },
  ];
  assert.deepEqual(parse([...stream].map((byte) => Uint8Array.of(byte))), expected);
  for (let cut = 0; cut <= stream.length; cut++) {
    assert.deepEqual(parse([stream.subarray(0, cut), stream.subarray(cut)]), expected, `cut at ${cut}`);
  }
});

test("FrameParser: a frame without its closing empty line is not returned", () => {
  assert.deepEqual(parse([bytes("id: evt_1\ndata: whole\n\nid: evt_2\ndata: cut\n")]).length, 1);
});

function write(
  { id, event, data, comment }: { id: string | null; event: string; data: string[]; comment: boolean },
  end: string,
) {
  return [
    ...(comment ? [": still here", ""] : []),
    ...(id === null ? [] : [`id: ${id}`]),
    ...(event === "" ? [] : [`event: ${event}`]),
    ...data.map((line) => `data: ${line}`),
    "",
    "",
  ]
    .slice(0, -1)
    .map((line) => line + end)
    .join("");
}

function split(stream: Uint8Array, places: number[]): Uint8Array[] {
  const cuts = [0, ...places.map((place) => place % (stream.length + 1)), stream.length].sort(
    (a, b) => a - b,
  );
  return cuts.slice(1).map((cut, i) => stream.subarray(cuts[i], cut));
}
