import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { OutputWindow } from "./output-window.ts";

const text = fc
  .array(fc.string({ unit: fc.constantFrom("a", "é", "€", "😀", "\n", "\r"), maxLength: 60 }), {
    maxLength: 60,
  })
  .map((parts) => parts.join(""));

test("any output in any pieces, any limit: a head and a tail within it, characters whole, all bytes accounted for", () => {
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 8, max: 600 }),
      fc.integer({ min: 1, max: 97 }),
      (text, limit, piece) => {
        const whole = Buffer.from(text);
        const window = new OutputWindow(limit);
        for (let at = 0; at < whole.length; at += piece) window.push(whole.subarray(at, at + piece));
        const { output, omittedBytes, cutAt } = window.result();
        assert.ok(output.length <= limit);
        assert.equal(output.length + omittedBytes, whole.length);
        if (whole.length <= limit) return assert.deepEqual([output, cutAt], [whole, undefined]);
        const [head, tail] = [output.subarray(0, cutAt), output.subarray(cutAt)];
        assert.ok(head.equals(whole.subarray(0, cutAt)));
        assert.ok(tail.equals(whole.subarray(whole.length - tail.length)));
        const shown = new TextDecoder("utf-8", { fatal: true }).decode(output);
        const heads = Array.from({ length: shown.length + 1 }, (_, at) => at);
        assert.ok(heads.some((at) => text.startsWith(shown.slice(0, at)) && text.endsWith(shown.slice(at))));
      },
    ),
  );
});
