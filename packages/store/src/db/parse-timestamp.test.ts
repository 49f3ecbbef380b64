import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import pg from "pg";
import { parseTimestamp } from "./parse-timestamp.ts";

const own = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ, "text");

test("property: times of any zone and precision are what pg's own parser makes of them", () => {
  const fraction = fc.stringMatching(/^(?:\.\d{1,6})?$/);
  const zone = fc.constantFrom("+00", "+00", "+01", "-05:30", "+05:45");
  const date = fc.date({ min: new Date("0101-01-01"), max: new Date("9999-12-30"), noInvalidDate: true });
  fc.assert(
    fc.property(date, fraction, zone, (at, digits, offset) => {
      const text = `${at.toISOString().slice(0, 19).replace("T", " ")}${digits}${offset}`;
      assert.deepEqual(parseTimestamp(text), own(text), text);
    }),
  );
});

test("what is no time of a common era is left to pg", () => {
  for (const text of ["infinity", "-infinity", "0044-03-15 12:00:00+00 BC", "20260-01-01 00:00:00+00"])
    assert.deepEqual(parseTimestamp(text), own(text), text);
});
