import type { Draft } from "@berth/agent";
import { budgetOf, forHour, moneyOf } from "@berth/contract";
import type { Queryable } from "@berth/store/db";

interface Row {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
  hour: number;
  cost: number;
  budget: number;
}

/** Returns the event that tells a session's usage; none if it has no budget. */
export async function usageDrafts(db: Queryable, sessionId: string): Promise<Draft[]> {
  const { rows } = await db.query<Row>({
    name: "usage_of_session",
    text: `select input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens,
        cache_creation_1h_input_tokens as hour, list_cost_nano as cost, budget_nano as budget
      from sessions where id = $1 and budget_nano is not null`,
    values: [sessionId],
  });
  return rows.map(({ hour, cost, budget, ...tokens }) => ({
    event: {
      type: "session.usage" as const,
      usage: { ...tokens, ...forHour(hour), list_cost: moneyOf(cost) },
      budget: budgetOf(budget),
    },
  }));
}
