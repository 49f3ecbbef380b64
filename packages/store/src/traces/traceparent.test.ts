import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(..."0123456789abcdef"), { minLength: length, maxLength: length })
    .map((digits) => digits.join(""))
    .filter((text) => !/^0+$/.test(text));

test("property: what is formatted is parsed", () => {
  const place = fc.record({ traceId: hex(32), spanId: hex(16), isSampled: fc.boolean() });
  fc.assert(
    fc.property(place, (one) => assert.deepEqual(parseTraceparent(formatTraceparent(one)), { ...one })),
  );
});

test("a later version may have more; what is no place is none", () => {
  const [trace, span] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
  assert.deepEqual(parseTraceparent(`cc-${trace}-${span}-03-more`), {
    traceId: trace,
    spanId: span,
    isSampled: true,
  });
  for (const wrong of [
    "",
    `00-${trace}-${span}`,
    `00-${trace}-${span}-01-more`,
    `ff-${trace}-${span}-01`,
    `00-${"0".repeat(32)}-${span}-01`,
    `00-${trace}-${"0".repeat(16)}-01`,
    `00-${trace.toUpperCase()}-${span}-01`,
    `00-${trace}-${span}-01\n`,
  ])
    assert.equal(parseTraceparent(wrong), null, wrong);
});
