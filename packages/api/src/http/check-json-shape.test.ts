import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { checkJsonShape } from "./check-json-shape.ts";
import { parseJson } from "./parse-json.ts";

const MEGABYTE = 1024 * 1024;

/** Counts members and items, and levels. */
function shapeOf(value: unknown): { values: number; depth: number } {
  if (typeof value !== "object" || value === null) return { values: 0, depth: 0 };
  const children = Object.values(value).map(shapeOf);
  const values = children.reduce((sum, child) => sum + 1 + child.values, 0);
  return { values, depth: 1 + Math.max(0, ...children.map(({ depth }) => depth)) };
}

test("any document in any layout: rejected exactly when it has more levels or values than may be", () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('"', "\\", '\\"', "[", "{,}", "]", "\u2028", "ä,"));
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "large", withCrossShrink: true },
      text,
      fc.constantFrom(0, -1.5e9, true, null),
      fc.array(tie("tree"), { maxLength: 6 }),
      fc.dictionary(text, tie("tree"), { maxKeys: 6 }),
    ),
  }));
  const wrapped = fc.tuple(tree, fc.integer({ min: 0, max: 70 }), fc.constantFrom(0, 19_900, 20_100));
  fc.assert(
    fc.property(wrapped, fc.constantFrom("", " ", "\n\t"), ([value, levels, more], layout) => {
      let document: unknown = [value, Array.from({ length: more }, () => 0)];
      for (let level = 0; level < levels; level += 1)
        document = level % 2 === 0 ? [document] : { a: document };
      const { values, depth } = shapeOf(document);
      const check = () => checkJsonShape(Buffer.from(JSON.stringify(document, null, layout)));
      if (values > 20_000 || depth > 64) assert.throws(check, /more than 20000 values|deeper than 64 levels/);
      else check();
    }),
    { numRuns: 60 },
  );
});

test("megabytes of values, members, levels or of an unending string → rejected at a cost of its first part", () => {
  const documents = {
    items: `[${"0,".repeat(2 * MEGABYTE)}0]`,
    members: `{${Array.from({ length: 300_000 }, (_, n) => `"${n}":0`).join(",")}}`,
    "empty lists": `[${"[],".repeat(MEGABYTE)}[]]`,
    levels: "[".repeat(4 * MEGABYTE),
    "objects in objects": '{"a":'.repeat(800_000),
  };
  for (const [name, document] of Object.entries(documents)) {
    const bytes = Buffer.from(document);
    // Bytes beyond the limit are never read: reading one throws.
    const part = new Proxy(new Uint8Array(0), {
      get: (_, key) => {
        if (key === "length") return bytes.length;
        const at = Number(key);
        assert.ok(at < 400_000, `${name}: byte ${at} was read`);
        return bytes[at];
      },
    });
    assert.throws(() => checkJsonShape(part), /more than 20000 values|deeper than 64 levels/, name);
    assert.throws(() => parseJson(bytes), /more than 20000 values|deeper than 64 levels/, name);
  }
  assert.throws(() => parseJson(Buffer.from(`"${'\\"'.repeat(MEGABYTE)}`)), /not valid JSON/);
});
