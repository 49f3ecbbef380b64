import type { Requirement } from "./requirement.ts";

/** Rules for budgets of sessions and spend limits of owners. */
export const budgetRequirements: readonly Requirement[] = [
  {
    id: "budget-session",
    source: "Budgets that hold",
    rule: "Each request of a session with a budget is held to it before it is sent, with the most that it can cost; the output limit is lowered to what is left. list_cost is the sum of its requests at their prices, never more than the budget. Then the session is idle with budget_reached, and keeps everything.",
  },
  {
    id: "budget-stopped",
    source: "Budgets that hold",
    rule: "A session that reached its budget takes confirmations, results and interrupts; a message is a 400 that names them. A higher amount, which must exceed what was spent, continues the turn by itself. null removes the budget for good; a session without one gets none.",
  },
  {
    id: "budget-price",
    source: "Budgets that hold",
    rule: "A budget, or a session under a spend limit, with a model whose price is not known is a 400 that names the model; so is such a budget of a deployment when it is written.",
  },
  {
    id: "budget-owners",
    source: "Budgets that hold",
    rule: "Spend limits of a user and an organization, in all and for a day, hold all sessions together: at the edge of one limit, the sum of parallel sessions never exceeds it. A session beyond is 409 conflict_error; one that runs is idle with budget_reached and the scope, and continues when the limit is raised or the day has turned.",
  },
];
