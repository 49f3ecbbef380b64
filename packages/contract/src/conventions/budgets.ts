import { z } from "zod";

/** Whole cents as text, up to 999,999.99 US dollars. */
const cents = z.string().regex(/^[1-9][0-9]{0,7}$/, {
  error:
    "Field '{field}' must be a number of whole cents as text, from '1' to '99999999', such as '2500' for 25 US dollars.",
});

/** An amount of money. */
export const money = z
  .strictObject({
    amount: z.string().meta({ description: "Whole cents, such as `2500` for 25 US dollars." }),
    currency: z.literal("USD"),
  })
  .meta({ id: "Money" });

/**
 * What a session may cost at most, by the list prices of its models. As an input and as an answer; a session
 * or a deployment without one has null.
 */
export const budget = z
  .strictObject({
    type: z.literal("limit"),
    max_list_cost: z.strictObject({
      amount: cents.meta({ description: "Whole cents, such as `2500` for 25 US dollars." }),
      currency: z.literal("USD"),
    }),
  })
  .meta({ id: "Budget" });
export type Budget = z.output<typeof budget>;

/** The budget that a request for a model did not fit into. */
export const BUDGET_SCOPES = ["session", "user", "user_day", "organization", "organization_day"] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

const NANODOLLARS_PER_CENT = 10_000_000;

/** Returns nanodollars, the unit of all calculations. */
export function budgetInNanodollars({ max_list_cost }: Budget): number {
  return Number(max_list_cost.amount) * NANODOLLARS_PER_CENT;
}

export function budgetOf(nanodollars: number): Budget {
  const amount = `${nanodollars / NANODOLLARS_PER_CENT}`;
  return { type: "limit", max_list_cost: { amount, currency: "USD" } };
}

/** Returns an amount of nanodollars, rounded up to a cent. */
export function moneyOf(nanodollars: number): z.output<typeof money> {
  return { amount: `${Math.ceil(nanodollars / NANODOLLARS_PER_CENT)}`, currency: "USD" };
}
