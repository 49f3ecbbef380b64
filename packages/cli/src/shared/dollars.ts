import type { Session } from "@berth/sdk";

export type Budget = NonNullable<Session["budget"]>;

/** What an amount must be, for errors. */
export const DOLLARS_FORM = "It must be US dollars from 0.01 to 999999.99, such as 2.50.";

/** Returns the budget of an amount in dollars, to the cent; null for a text of another form. */
export function budgetOf(dollars: string): Budget | null {
  const [, whole, part = ""] = /^(\d{1,6})(?:\.(\d{1,2}))?$/.exec(dollars) ?? [];
  const amount = `${whole ?? ""}${part.padEnd(2, "0")}`.replace(/^0+/, "");
  if (whole === undefined || amount === "") return null;
  return { type: "limit", max_list_cost: { amount, currency: "USD" } };
}
