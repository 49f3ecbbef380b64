import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RecentBytes } from "./recent-bytes.ts";

test("recent bytes: whatever the chunks, the newest are there under their positions", () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 });
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 30 }), (added, capacity) => {
      const recent = new RecentBytes(capacity);
      for (const chunk of added) recent.add(chunk);
      const whole = Buffer.concat(added);
      assert.equal(recent.end, whole.length);
      assert.equal(recent.oldest, Math.max(0, whole.length - capacity));
      for (let from = recent.oldest; from <= recent.end; from++)
        assert.deepEqual(recent.read(from, recent.end), whole.subarray(from));
      assert.deepEqual(recent.read(recent.oldest, recent.oldest), Buffer.alloc(0));
    }),
  );
});
