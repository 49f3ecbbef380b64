import type { BudgetScope } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import type { Limit } from "@berth/store/limits";

type Subject = Pick<Limit, "kind" | "id">;

/** Returns the nanodollars that an organization or a user has spent, in all or today (UTC). */
export async function spentBy(db: Queryable, { kind, id }: Subject, isDaily: boolean): Promise<number> {
  const { rows } = await db.query<{ spent: number }>({
    name: "spent_by",
    text: "select spent from spend_of($1, $2, $3)",
    values: [id, kind === "organization", isDaily],
  });
  return rows[0]?.spent ?? 0;
}

/** Returns the nanodollars that the requests of a session in progress can cost at most. */
export async function reservedBy(db: Queryable, sessionId: string): Promise<number> {
  const { rows } = await db.query<{ reserved: number }>({
    name: "reserved_by_session",
    text: "select coalesce(sum(nano), 0)::bigint as reserved from spend_reservations where session_id = $1",
    values: [sessionId],
  });
  return rows[0]?.reserved ?? 0;
}

/** Returns the scope of the budget that stopped a session. */
export async function stoppedBy(db: Queryable, sessionId: string): Promise<BudgetScope> {
  const { rows } = await db.query<{ scope: BudgetScope }>({
    name: "stopped_by",
    text: "select budget_stop as scope from sessions where id = $1 and budget_stop <> 'resumed'",
    values: [sessionId],
  });
  return rows[0]?.scope ?? "session";
}

/** Lets the sessions continue that limits of an organization or a user have stopped. If too little is left, they stop again. */
export async function resumeSessionsOf(tx: Queryable, { kind, id }: Subject): Promise<void> {
  const column = kind === "organization" ? "organization_id" : "owner_id";
  await tx.query({
    name: `resume_sessions_of_${kind}`,
    text: `update sessions
      set budget_stop = 'resumed', budget_retry_at = null, pending_at = coalesce(pending_at, now())
      where ${column} = $1 and budget_stop in ('user', 'user_day', 'organization', 'organization_day')`,
    values: [id],
  });
}
