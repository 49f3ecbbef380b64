import assert from "node:assert/strict";
import { test } from "node:test";
import { budgetOf } from "./dollars.ts";

test("dollars: every amount to the cent, and nothing else", () => {
  for (let cents = 1; cents <= 99_999_999; cents += cents < 20_000 ? 1 : 9_973) {
    const dollars = `${Math.floor(cents / 100)}.${`${cents % 100}`.padStart(2, "0")}`;
    assert.equal(budgetOf(dollars)?.max_list_cost.amount, `${cents}`, dollars);
  }
  const short = { "2.5": "250", "3": "300", "0.1": "10", "00.29": "29", "999999.99": "99999999" };
  for (const [dollars, amount] of Object.entries(short))
    assert.deepEqual(budgetOf(dollars), {
      ...{ type: "limit", max_list_cost: { amount, currency: "USD" } },
    });
  for (const text of [
    "",
    "0",
    "0.00",
    "-1",
    "1.005",
    ".5",
    "5.",
    "$5",
    "1,50",
    "1e3",
    " 1",
    "1000000",
    "NaN",
  ])
    assert.equal(budgetOf(text), null, text);
});
