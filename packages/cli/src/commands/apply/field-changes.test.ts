import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { differingPart, fieldChanges } from "./field-changes.ts";

const list = fc.array(fc.constantFrom("a", "b"), { maxLength: 6 });

test("differingPart: what both share at their ends, with the differing part, is each list, however they overlap", () => {
  fc.assert(
    fc.property(list, list, (before, after) => {
      const { start, ends } = differingPart(before, after);
      assert.ok(start <= ends[0] && start <= ends[1]);
      const replaced = [...before.slice(0, start), ...after.slice(start, ends[1]), ...before.slice(ends[0])];
      assert.deepEqual(replaced, after);
    }),
  );
});

test("fieldChanges: none exactly if both are the same", () => {
  fc.assert(
    fc.property(list, list, (before, after) => {
      const isSame = before.join() === after.join();
      assert.equal(fieldChanges({ list: before }, { list: after }).length === 0, isSame);
    }),
  );
});

test("fieldChanges: one of two equal items is left out → that item", () => {
  assert.deepEqual(fieldChanges({ list: ["a", "a"] }, { list: ["a"] }), [{ field: "list[1]", before: "a" }]);
});
