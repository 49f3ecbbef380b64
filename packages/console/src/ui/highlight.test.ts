import assert from "node:assert/strict";
import { test } from "node:test";
import { highlight } from "./highlight.ts";

test("a slow machine, on which a line takes seconds → it has its colours to its end", async (t) => {
  let now = 0;
  // Each read of the clock advances it by a second.
  t.mock.method(Date, "now", () => (now += 1_000));
  const lines = await highlight('const a = 1;\nreturn "Hello " + name;', "javascript");
  const named = lines?.map((line) => line.map(({ text, name }) => [text.trim(), name]));
  assert.deepEqual(named?.[0]?.[0], ["const", "keyword"]);
  assert.deepEqual(named?.[0]?.at(-1), [";", "punctuation"]);
  assert.deepEqual(named?.[1]?.[0], ["return", "keyword"]);
});
