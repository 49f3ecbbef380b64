import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import fc from "fast-check";
import { compressed, decompressed } from "./compress.ts";

const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function* chunks(...all: readonly Uint8Array[]) {
  yield* all;
}

test("compressed: any archive comes back, and in no more than its bytes and a little", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 5_000 })), async (parts) => {
      const packed = await buffer(compressed(Readable.from(parts), 1_000_000));
      const whole = Buffer.concat(parts);
      assert.ok(packed.length < whole.length + 200);
      assert.deepEqual(await buffer(decompressed(chunks(packed), digest(packed))), whole);
    }),
    { numRuns: 30 },
  );
});

test("compressed: more than it may be, before or after → SaveTooLargeError, and the archive is closed", async () => {
  const noise = Readable.from(endless(() => crypto.getRandomValues(new Uint8Array(65_536))));
  await assert.rejects(buffer(compressed(noise, 1_000_000)), { name: "SaveTooLargeError" });
  assert.equal(noise.destroyed, true);
  const zeros = Readable.from(endless(() => new Uint8Array(65_536)));
  await assert.rejects(buffer(compressed(zeros, 1_000_000)), { name: "SaveTooLargeError" });
  assert.equal(zeros.destroyed, true);
});

test("decompressed: other bytes, cut bytes and a store that fails are told apart", async () => {
  const packed = await buffer(compressed(Readable.from([Buffer.from("content".repeat(1_000))]), 1_000_000));
  const damaged = { name: "DamagedSaveError" };
  const other = Buffer.from(packed);
  other[other.length >> 1] = (other[other.length >> 1] ?? 0) ^ 0xff;
  await assert.rejects(buffer(decompressed(chunks(other), digest(packed))), damaged);
  await assert.rejects(buffer(decompressed(chunks(packed.subarray(0, -4)), digest(packed))), damaged);
  await assert.rejects(buffer(decompressed(chunks(packed), "0".repeat(64))), damaged);
  async function* failing() {
    yield packed.subarray(0, 10);
    throw new Error("503");
  }
  await assert.rejects(buffer(decompressed(failing(), digest(packed))), { name: "SaveUnreadableError" });
});

async function* endless(next: () => Uint8Array) {
  for (;;) yield next();
}
