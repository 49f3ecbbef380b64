/**
 * The right to run a session: its turns, its sandbox and its disk. A lease is valid while the session's row names its owner and
 * its epoch; every write of a run checks both in the same statement.
 */
export interface Lease {
  /** uuid. */
  readonly sessionId: string;
  readonly owner: string;
  readonly epoch: number;
}

/** The check that a statement makes of the session's row. Its parameters are `leaseValues`, from $1 on. */
export const HELD = "sessions.id = $1 and lease_owner = $2 and lease_epoch = $3";

export function leaseValues({ sessionId, owner, epoch }: Lease): [string, string, number] {
  return [sessionId, owner, epoch];
}
