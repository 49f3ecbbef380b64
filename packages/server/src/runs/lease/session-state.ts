import { LeaseLost } from "@berth/agent";
import type { SessionStatus } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import type { Lease } from "./lease.ts";

/** Where a session stands when its holder looks. */
export interface Standing {
  status: SessionStatus;
  archived: boolean;
  terminated: boolean;
  deleted: boolean;
  /** It was given back with nothing to do, and nothing has come since: it was claimed to reclaim its disk. */
  resting: boolean;
}

export function isRunning({ status }: Standing): boolean {
  return status === "running" || status === "rescheduling";
}

/**
 * Takes note that the session is due: it is not any more, until something new makes it so. What made it due was committed
 * before, so whoever reads afterwards sees it.
 *
 * @throws LeaseLost
 */
export async function takeDue(db: Queryable, lease: Lease): Promise<Standing> {
  const { rows } = await db.query<Standing>({
    name: "take_due",
    text: `
      with taken as (
        update sessions set pending_at = null, idle_since = null
        where id = $1 and lease_owner = $2 and lease_epoch = $3 and pending_at is not null
        returning ${STANDING}
      )
      select * from taken
      union all
      select ${STANDING} from sessions
      where id = $1 and lease_owner = $2 and lease_epoch = $3 and pending_at is null`,
    values: [lease.sessionId, lease.owner, lease.epoch],
  });
  if (rows[0] === undefined) throw new LeaseLost();
  return rows[0];
}

const STANDING = `status, archived_at is not null as archived, terminated_at is not null as terminated,
  deleted_at is not null as deleted, status = 'idle' and idle_since is not null as resting`;

/**
 * Removes the row of a deleted session, and so everything that belongs to it. False: its disk lies on another machine, whose
 * worker has to remove that first, or the lease is gone.
 */
export async function removeDeleted(db: Queryable, lease: Lease): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "remove_deleted",
    text: `
      delete from sessions
      where id = $1 and lease_owner = $2 and lease_epoch = $3 and deleted_at is not null and disk_host is null`,
    values: [lease.sessionId, lease.owner, lease.epoch],
  });
  return rowCount === 1;
}
