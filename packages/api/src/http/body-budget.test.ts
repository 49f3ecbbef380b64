import assert from "node:assert/strict";
import { test } from "node:test";
import { BodyBudget } from "./body-budget.ts";

test("bytes of all and of one owner are bounded, and come back", () => {
  const budget = new BodyBudget({ bytes: 100, perOwner: 60 });
  const [first, second, other] = [budget.share("a"), budget.share("a"), budget.share("b")];
  assert.deepEqual([first.take(50), second.take(20), second.take(10)], [true, false, true]);
  assert.deepEqual([other.take(50), other.take(40)], [false, true], "of all");
  first.release();
  assert.deepEqual([second.take(50), second.take(1), other.take(11)], [true, false, false]);
  for (const share of [second, other, first]) share.release();
  second.release();
  const last = budget.share("c");
  assert.deepEqual([last.take(61), last.take(60), budget.share("d").take(40)], [false, true, true]);
});
