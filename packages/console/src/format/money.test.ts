import assert from "node:assert/strict";
import { test } from "node:test";
import { budgetTyped, formatCents } from "./money.ts";

test("a budget is typed in dollars and sent in cents; what is no amount is left to the service", () => {
  const amounts = ["25", " 2.50 ", "0.29", "$3", "1.5", "1.234", "much", "-1"];
  assert.deepEqual(
    amounts.map((typed) => budgetTyped(typed).max_list_cost.amount),
    ["2500", "250", "29", "300", "150", "1.234", "much", "-1"],
  );
  assert.deepEqual(["2500", "7"].map(formatCents), ["$25.00", "$0.07"]);
});
