import { LeaseLost } from "@berth/agent";
import type { SessionStatus } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { HELD, type Lease, leaseValues } from "@berth/store/leases";

/** The state that the holder of a session must act on. */
export interface SessionState {
  status: SessionStatus;
  archived: boolean;
  terminated: boolean;
  deleted: boolean;
  /** Whether it was released with nothing to do and nothing has come since, so its disk is reclaimed. */
  resting: boolean;
  /** How often in a row the process that ran its turn crashed or froze. */
  crashes: number;
  /** Whether it was set aside, so that no turn of it is run. */
  setAside: boolean;
}

export function isRunning({ status }: SessionState): boolean {
  return status === "running" || status === "rescheduling";
}

/**
 * Clears `pending_at` until something new sets it, and returns the session's state. What set it was committed
 * before, so a read that follows sees it.
 *
 * @throws LeaseLost
 */
export async function clearPending(db: Queryable, lease: Lease): Promise<SessionState> {
  const { rows } = await db.query<SessionState>({
    name: "take_due",
    text: `
      with taken as (
        update sessions set pending_at = null, idle_since = null
        where ${HELD} and pending_at is not null
        returning ${STATE}
      )
      select * from taken
      union all
      select ${STATE} from sessions
      where ${HELD} and pending_at is null`,
    values: leaseValues(lease),
  });
  if (rows[0] === undefined) throw new LeaseLost();
  return rows[0];
}

const STATE = `status, archived_at is not null as archived, terminated_at is not null as terminated,
  deleted_at is not null as deleted, status = 'idle' and idle_since is not null as resting,
  runner_crashes as crashes, set_aside_at is not null as "setAside"`;

/**
 * Deletes the row of a deleted session and everything that belongs to it. Returns false when its disk is on
 * another machine, whose worker must remove the disk first, or when the lease is lost.
 */
export async function deleteSessionRow(db: Queryable, lease: Lease): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "remove_deleted",
    text: `
      delete from sessions
      where ${HELD} and deleted_at is not null and home is null`,
    values: leaseValues(lease),
  });
  return rowCount === 1;
}
