import type { Queryable } from "@berth/store/db";
import { HELD, type Lease, leaseValues } from "@berth/store/leases";

/** The session's repositories whose attempts are exhausted are to be tried once more, now. */
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

/** For a disk that is new or removed: nothing is in place on it, and it uses no snapshot. */
export async function markAllAbsent(db: Queryable, lease: Lease): Promise<void> {
  await db.query({
    name: "resources_absent",
    text: `
      update session_resources set ready_at = null, template_id = null
      from sessions
      where session_id = $1 and sessions.id = session_id and (ready_at is not null or template_id is not null) and ${HELD}`,
    values: leaseValues(lease),
  });
}
