import type { Queryable } from "@berth/store/db";
import { type ClaimedRow, HELD, type Lease, leaseOf, leaseValues } from "@berth/store/leases";
import type { Claimant } from "./claim-runs.ts";

/** A summary that has been due for longer is not made: no provider keeps its cache for so long. */
const USELESS = "interval '15 minutes'";

/**
 * A value of `summary_due_at`: the summary was begun, and the log lacks the end of its request. Unless its
 * process holds the session, that process died.
 */
export const SUMMARY_BEGUN = "'-infinity'::timestamptz";

/**
 * Leases idle sessions that nobody holds and whose history is to be summarised now. Interrupted summaries
 * come first, then the longest due. Only sessions without a disk, or with a disk at this place, are claimed.
 * A claim does not make them due. The claimant also handles inputs that come meanwhile.
 */
export async function claimSummaries(
  db: Queryable,
  { owner, leaseMs, host }: Pick<Claimant, "owner" | "leaseMs" | "host">,
  limit: number,
): Promise<Lease[]> {
  if (limit <= 0) return [];
  const { rows } = await db.query<ClaimedRow>({
    name: "claim_summaries",
    text: `
      with due as (
        select id from sessions
        where (summary_due_at = ${SUMMARY_BEGUN} or summary_due_at between now() - ${USELESS} and now())
          and (home is null or home = $3) and lease_owner is null and pending_at is null and status = 'idle'
          and set_aside_at is null and archived_at is null and terminated_at is null and deleted_at is null
        order by summary_due_at limit $4 for update skip locked
      )
      update sessions set
        lease_owner = $1,
        lease_until = now() + $2 * interval '1 millisecond',
        lease_epoch = lease_epoch + 1,
        idle_since = null
      where id in (select id from due)
      returning id, organization_id, lease_epoch`,
    values: [owner, leaseMs, host.place, limit],
  });
  return rows.map((row) => leaseOf(row, owner));
}

/**
 * Returns the milliseconds until the summary of a held session is due, or 0 when it was begun and must be
 * ended. Returns null when no summary is due, or it has been due for too long.
 */
export async function summaryDueIn(db: Queryable, lease: Lease): Promise<number | null> {
  const { rows } = await db.query<{ milliseconds: number }>({
    name: "summary_due_in",
    text: `
      select case when summary_due_at = ${SUMMARY_BEGUN} then 0
        else extract(epoch from summary_due_at - now()) * 1000 end::double precision as milliseconds
      from sessions where ${HELD} and (summary_due_at = ${SUMMARY_BEGUN} or summary_due_at > now() - ${USELESS})`,
    values: leaseValues(lease),
  });
  return rows[0]?.milliseconds ?? null;
}

/** Cancels the summary in this pause. */
export async function dropSummary(db: Queryable, lease: Lease): Promise<void> {
  await db.query({
    name: "drop_summary",
    text: `update sessions set summary_due_at = null where ${HELD} and summary_due_at is not null`,
    values: leaseValues(lease),
  });
}
