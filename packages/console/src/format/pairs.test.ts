import assert from "node:assert/strict";
import { test } from "node:test";
import { changedFields, newKey, pairsOf, patchOf, recordOf, repeated } from "./pairs.ts";

test("pairs are read from a record and make it again", () => {
  const record = { TEAM: "core", EMPTY: "" };
  assert.deepEqual(recordOf(pairsOf(record)), record);
});

test("an empty row counts for nothing, and one without a name does", () => {
  const row = (name: string, value: string) => ({ key: newKey(), name, value });
  assert.deepEqual(recordOf([row(" A ", "1"), row("", "")]), { A: "1" });
  assert.deepEqual(recordOf([row("", "lost")]), { "": "lost" });
});

test("a patch sets what is new or different and removes what is gone", () => {
  assert.deepEqual(patchOf({ a: "1", b: "2", c: "3" }, { a: "1", b: "x", d: "4" }), {
    b: "x",
    c: null,
    d: "4",
  });
  assert.deepEqual(patchOf({ a: "1" }, { a: "1" }), {});
});

test("the second of two pairs with one name is found", () => {
  const pairs = [...pairsOf({ a: "1" }), ...pairsOf({ b: "1" }), ...pairsOf({ a: "2" })];
  assert.equal(repeated(pairs), pairs[2]);
  assert.equal(repeated(pairs.slice(0, 2)), undefined);
  assert.equal(repeated([...pairsOf({ "": "1" }), ...pairsOf({ "": "2" })]), undefined);
});

test("only fields that differ are in a change", () => {
  const before = { name: "a", list: [1, 2], none: null as string | null };
  assert.deepEqual(changedFields(before, { name: "a", list: [1, 2], none: null }), {});
  assert.deepEqual(changedFields(before, { name: "a", list: [2], none: "x" }), { list: [2], none: "x" });
});
