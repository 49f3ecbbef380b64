import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodeFrame, FrameDecoder } from "./frames.ts";

test("frames: any frames in any pieces → as they were sent", () => {
  const frame = fc.record({
    stream: fc.nat(),
    kind: fc.constantFrom("D", "A", "Q"),
    body: fc.uint8Array({ maxLength: 40 }),
  });
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }),
      (frames, sizes) => {
        const bytes = Buffer.concat(frames.map(({ stream, kind, body }) => encodeFrame(stream, kind, body)));
        const decoder = new FrameDecoder();
        const taken = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          taken.push(...decoder.push(bytes.subarray(at, at + size)));
          at += size;
        }
        const sent = frames.map(({ body, ...rest }) => ({ ...rest, body: Buffer.from(body) }));
        assert.deepEqual(
          taken.map(({ body, ...rest }) => ({ ...rest, body: Buffer.from(body) })),
          sent,
        );
      },
    ),
  );
});

test("frames: the longest one in single bytes is put together once; a longer one is refused", () => {
  const bytes = encodeFrame(1, "D", Buffer.alloc(1_048_576));
  const decoder = new FrameDecoder();
  const { concat } = Buffer;
  let copied = 0;
  Buffer.concat = (list, length) => {
    const whole = concat(list, length);
    copied += whole.length;
    return whole;
  };
  try {
    let taken = 0;
    for (let at = 0; at < bytes.length; at++) taken += decoder.push(bytes.subarray(at, at + 1)).length;
    assert.equal(taken, 1);
  } finally {
    Buffer.concat = concat;
  }
  assert.ok(copied < 2 * bytes.length, `${copied} bytes were copied`);
  const long = encodeFrame(1, "D", Buffer.alloc(1_048_577));
  assert.throws(() => new FrameDecoder().push(long.subarray(0, 9)), /too long/);
});
