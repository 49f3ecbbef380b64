import { type Budget, budgetInNanodollars, budgetOf, moneyOf } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import type { SessionChange } from "@berth/store/session-log";
import { reservedBy } from "./spend-store.ts";

interface BudgetedRow {
  id: string;
  budget_nano: number | null;
  list_cost_nano: number;
}

/**
 * Returns the change of a session's budget; empty if it stays. The caller has locked the session's row, so
 * that no request begins meanwhile.
 *
 * @throws errors.noBudget, errors.budgetTooLow
 */
export async function changeBudget(
  tx: Queryable,
  { id, budget_nano: before, list_cost_nano: spent }: BudgetedRow,
  given: Budget | null | undefined,
): Promise<Pick<SessionChange, "budget">> {
  if (given === undefined) return {};
  if (given === null) return before === null ? {} : { budget: null };
  if (before === null) throw errors.noBudget();
  const nano = budgetInNanodollars(given);
  if (nano === before) return {};
  const used = spent + (await reservedBy(tx, id));
  if (nano <= used) throw errors.budgetTooLow(moneyOf(used).amount);
  return { budget: budgetOf(nano) };
}
