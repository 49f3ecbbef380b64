import type { Queryable } from "@berth/store/db";
import { HELD, type Lease, leaseValues } from "@berth/store/leases";

/** Schedules one more attempt, now, for the session's repositories whose attempts are exhausted. */
export async function markExhaustedDue(db: Queryable, lease: Lease): Promise<void> {
  await db.query({
    name: "resources_due",
    text: `
      update session_resources set retry_at = now()
      from sessions
      where session_id = $1 and sessions.id = session_id and ready_at is null and retry_at is null
        and attempts > 0 and failed_inputs is not null and ${HELD}`,
    values: leaseValues(lease),
  });
}

/** Marks all resources as absent and without a snapshot, for a disk that is new or removed. */
export async function markAllAbsent(db: Queryable, lease: Lease): Promise<void> {
  await db.query({
    name: "resources_absent",
    text: `
      update session_resources set ready_at = null, snapshot_id = null
      from sessions
      where session_id = $1 and sessions.id = session_id and (ready_at is not null or snapshot_id is not null) and ${HELD}`,
    values: leaseValues(lease),
  });
}
