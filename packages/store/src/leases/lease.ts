import { formatId } from "@berth/contract";

/**
 * The right to run a session: its turns, its sandbox and its disk. A lease is valid while the session's row names its owner and
 * its epoch; every write of a run checks both in the same statement.
 */
export interface Lease {
  /** uuid. */
  readonly sessionId: string;
  /** uuid. */
  readonly organizationId: string;
  readonly owner: string;
  readonly epoch: number;
}

/** The session of a lease. */
export type LeasedSession = Pick<Lease, "sessionId" | "organizationId">;

/** What a log line about the session says of it. */
export function sessionFields({ sessionId, organizationId }: LeasedSession) {
  return {
    session: formatId("session", sessionId),
    organization: formatId("organization", organizationId),
  };
}

/** The check that a statement makes of the session's row. Its parameters are `leaseValues`, from $1 on. */
export const HELD = "sessions.id = $1 and lease_owner = $2 and lease_epoch = $3";

export function leaseValues({ sessionId, owner, epoch }: Lease): [string, string, number] {
  return [sessionId, owner, epoch];
}

/** SQL: a session waits for a worker. */
export const IS_DUE = "pending_at is not null and lease_owner is null";

/** What a claim returns of a session's row. */
export interface ClaimedRow {
  id: string;
  organization_id: string;
  lease_epoch: number;
}

export function leaseOf(row: ClaimedRow, owner: string): Lease {
  return { sessionId: row.id, organizationId: row.organization_id, owner, epoch: row.lease_epoch };
}
