import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJson } from "./parse-json.ts";

const parse = (text: string) => parseJson(Buffer.from(text));

test("a document with very many values → rejected before validation", () => {
  const items = (count: number) => `[${Array.from({ length: count }, () => 1).join(",")}]`;
  assert.equal((parse(items(20_000)) as unknown[]).length, 20_000);
  assert.throws(() => parse(items(20_001)), /more than 20000 values/);
  const members = Array.from({ length: 20_001 }, (_, index) => `"k${index}":1`).join(",");
  assert.throws(() => parse(`{${members}}`), /more than 20000 values/);
});

test("nesting, `__proto__` keys and unstorable text → rejected with their path", () => {
  assert.throws(() => parse("[".repeat(100) + "]".repeat(100)), /deeper than 64 levels/);
  assert.throws(() => parse('{"a":{"__proto__":1}}'), /__proto__/);
  assert.throws(() => parse('{"a":"\\u0000"}'), /NUL/);
  assert.throws(() => parse('{"a":"\\ud800"}'), /surrogates/);
});
