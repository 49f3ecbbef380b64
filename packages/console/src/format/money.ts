import { formatDollars } from "./numbers.ts";

export type Budget = { type: "limit"; max_list_cost: { amount: string; currency: "USD" } };

/**
 * Returns the budget that somebody typed in dollars, such as `25` or `2.50`. Anything else is sent as it is, so
 * that the service says what is wrong with it.
 */
export function budgetTyped(dollars: string): Budget {
  const text = dollars.trim().replace(/^\$/, "");
  const amount = /^\d+(\.\d{1,2})?$/.test(text) ? `${Math.round(Number(text) * 100)}` : text;
  return { type: "limit", max_list_cost: { amount, currency: "USD" } };
}

/** Formats an amount of cents, such as `2500`, as dollars. */
export function formatCents(amount: string): string {
  return formatDollars(Number(amount) / 100);
}
