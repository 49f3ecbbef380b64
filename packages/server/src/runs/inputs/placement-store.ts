import type { Queryable } from "../../db/statement.ts";
import { HELD, type Lease, leaseValues } from "../lease/lease.ts";
import type { RunRepository, RunResource } from "./resource-store.ts";

export async function markReady(db: Queryable, lease: Lease, resourceId: string): Promise<void> {
  await db.query({
    name: "resource_ready",
    text: `
      update session_resources set ready_at = now(), failed_at = null, failure = null, failed_inputs = null,
        attempts = 0, failing_since = null, retry_at = null
      from sessions
      where session_resources.id = $4 and sessions.id = session_id and ${HELD}`,
    values: [...leaseValues(lease), resourceId],
  });
}

/** @param attempts the number of failed attempts if each failed for a reason that passes, else 0. */
export async function markFailed(
  db: Queryable,
  lease: Lease,
  { id, inputs }: Pick<RunResource, "id" | "inputs">,
  failure: string,
  attempts = 0,
): Promise<void> {
  await db.query({
    name: "resource_failed",
    text: `
      update session_resources set failed_at = now(), failure = $5, failed_inputs = $6,
        attempts = $7, failing_since = null, retry_at = null
      from sessions
      where session_resources.id = $4 and sessions.id = session_id and ${HELD}`,
    values: [...leaseValues(lease), id, failure, inputs, attempts],
  });
}

/** The repository has failed for a reason that passes, and is to be tried again in `waitMs`. */
export async function markRetrying(
  db: Queryable,
  lease: Lease,
  { id, revision }: Pick<RunRepository, "id" | "revision">,
  waitMs: number,
): Promise<void> {
  await db.query({
    name: "resource_retrying",
    text: `
      update session_resources set attempts = attempts + 1, failing_since = coalesce(failing_since, now()),
        retry_at = now() + $5 * interval '1 millisecond'
      from sessions
      where session_resources.id = $4 and revision = $6 and sessions.id = session_id and ${HELD}`,
    values: [...leaseValues(lease), id, waitMs, revision],
  });
}

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
