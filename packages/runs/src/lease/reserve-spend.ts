import { LeaseLost } from "@berth/agent";
import type { BudgetScope } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { type Lease, leaseValues } from "@berth/store/leases";
import type { OwnerLimits } from "@berth/store/limits";

/** What a request asks for, in nanodollars. */
export interface Wanted {
  /** Uuid of the `span.model_request_start`. */
  requestId: string;
  /** The most that it can cost. */
  worst: number;
  /** The least that is worth a request. */
  least: number;
}

export interface Reservation {
  /** The reserved nanodollars: `worst`, or less if no more is left. Null when nothing was reserved. */
  granted: number | null;
  /** The smallest budget. */
  scope: BudgetScope;
  /** Whether enough is left once the other requests in progress have ended. */
  waits: boolean;
}

/**
 * Reserves what a request may cost in all budgets of its session and owners, or in none, in one statement
 * under the lease. The budgets are those of the database at this moment.
 *
 * @throws LeaseLost
 */
export async function reserveSpend(
  db: Queryable,
  limits: Pick<OwnerLimits, "preset">,
  lease: Lease,
  { requestId, worst, least }: Wanted,
): Promise<Reservation> {
  const { rows } = await db.query<Reservation>({
    name: "reserve_spend",
    text: "select granted, scope, waits from reserve_spend($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    values: [
      ...leaseValues(lease),
      ...[requestId, worst, least],
      ...[limits.preset("organization", "spend_cents"), limits.preset("organization", "spend_cents_per_day")],
      ...[limits.preset("user", "spend_cents"), limits.preset("user", "spend_cents_per_day")],
    ],
  });
  const [reservation] = rows;
  if (reservation === undefined) throw new LeaseLost();
  return reservation;
}

/**
 * Lets sessions continue that a limit of their owners stopped on a past day, and returns their uuids. Only a few at once:
 * the rest is left to the next call.
 */
export async function resumeAtDayTurn(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: "resume_at_day_turn",
    text: `
      update sessions set budget_stop = 'resumed', budget_retry_at = null, pending_at = coalesce(pending_at, now())
      where id in (
        select id from sessions where budget_retry_at <= now() order by budget_retry_at limit 100 for update skip locked
      )
      returning id`,
  });
  return rows.map(({ id }) => id);
}
