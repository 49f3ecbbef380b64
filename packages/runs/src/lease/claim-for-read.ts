import type { Queryable } from "@berth/store/db";
import { type ClaimedRow, type Lease, leaseOf } from "@berth/store/leases";
import type { Claimant } from "./claim-runs.ts";

/**
 * Leases a session that nobody holds because a read of its disk waits. Returns null unless the disk is at the
 * claimant's place. The claim needs no slot and no turn of the owner, and does not make the session due. It
 * clears the idle time, so that the disk is not reclaimed meanwhile.
 *
 * @param sessionId a uuid.
 */
export async function claimForRead(
  db: Queryable,
  { owner, leaseMs, host }: Pick<Claimant, "owner" | "leaseMs" | "host">,
  sessionId: string,
): Promise<Lease | null> {
  const { rows } = await db.query<ClaimedRow>({
    name: "claim_for_read",
    text: `
      with asked as (
        select id from sessions
        where id = $3 and home = $4 and lease_owner is null
          and archived_at is null and terminated_at is null and deleted_at is null
          and exists (
            select from workspace_reads where session_id = $3 and opens and answered_at is null and expires_at > now()
          )
        for update skip locked
      )
      update sessions set
        lease_owner = $1,
        lease_until = now() + $2 * interval '1 millisecond',
        lease_epoch = lease_epoch + 1,
        idle_since = null
      where id in (select id from asked)
      returning id, organization_id, lease_epoch`,
    values: [owner, leaseMs, sessionId, host.place],
  });
  return rows[0] === undefined ? null : leaseOf(rows[0], owner);
}
