import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJson } from "./parse-json.ts";

const parse = (text: string) => parseJson(Buffer.from(text));

test("a document of very many values is refused before anybody validates it", () => {
  const items = (count: number) => `[${Array.from({ length: count }, () => 1).join(",")}]`;
  assert.equal((parse(items(20_000)) as unknown[]).length, 20_000);
  assert.throws(() => parse(items(20_001)), /more than 20000 values/);
  const members = Array.from({ length: 20_001 }, (_, index) => `"k${index}":1`).join(",");
  assert.throws(() => parse(`{${members}}`), /more than 20000 values/);
});

test("nesting has a limit, and poisoned keys and unstorable text are named", () => {
  assert.throws(() => parse("[".repeat(100) + "]".repeat(100)), /deeper than 64 levels/);
  assert.throws(() => parse('{"a":{"__proto__":1}}'), /__proto__/);
  assert.throws(() => parse('{"a":"\\u0000"}'), /NUL/);
  assert.throws(() => parse('{"a":"\\ud800"}'), /surrogates/);
});
