import { formatId } from "@berth/contract";

/**
 * The right to run a session: its turns, its sandbox and its disk. A lease is valid while the session's row
 * names its owner and its epoch. Every write of a run checks both in the same statement.
 */
export interface Lease {
  /** The session's uuid. */
  readonly sessionId: string;
  /** The organization's uuid. */
  readonly organizationId: string;
  readonly owner: string;
  readonly epoch: number;
}

/** The session of a lease. */
export type LeasedSession = Pick<Lease, "sessionId" | "organizationId">;

/** Returns the fields of a log line about the session. */
export function sessionFields({ sessionId, organizationId }: LeasedSession) {
  return {
    session: formatId("session", sessionId),
    organization: formatId("organization", organizationId),
  };
}

/**
 * SQL condition on the session's row by which a statement checks the lease. Its parameters are `leaseValues`,
 * from $1 on.
 */
export const HELD = "sessions.id = $1 and lease_owner = $2 and lease_epoch = $3";

/** Returns the parameters of `HELD`. */
export function leaseValues({ sessionId, owner, epoch }: Lease): [string, string, number] {
  return [sessionId, owner, epoch];
}

/** SQL condition for a session that waits for a worker. */
export const IS_DUE = "pending_at is not null and lease_owner is null";

/** The columns of a session's row that a claim returns. */
export interface ClaimedRow {
  id: string;
  organization_id: string;
  lease_epoch: number;
}

/** Returns the lease that a claim by `owner` has obtained. */
export function leaseOf(row: ClaimedRow, owner: string): Lease {
  return { sessionId: row.id, organizationId: row.organization_id, owner, epoch: row.lease_epoch };
}
