import type { Queryable } from "../../db/statement.ts";
import type { Lease } from "./lease.ts";

export interface ReclaimerOptions {
  db: Queryable;
  owner: string;
  leaseMs: number;
  /** How long a session has been idle, by the clock of the database. */
  reclaimMs: number;
  /** Only disks that lie here; see `DiskDirectory`. */
  host: string;
}

const LONGEST_PAUSE_MS = 60_000;
const SHORTEST_PAUSE_MS = 250;

/**
 * Leases sessions whose disk is to be reclaimed, the longest idle first. The answer is asked as often as one likes with
 * the places that are free, and looks once a minute, oftener where sessions are reclaimed sooner, and at once again while
 * there are more of them than it took.
 */
export function createReclaimer(options: ReclaimerOptions): (free: number) => Promise<Lease[]> {
  const pause = Math.max(SHORTEST_PAUSE_MS, Math.min(options.reclaimMs / 4, LONGEST_PAUSE_MS));
  let next = 0;
  return async (free) => {
    // Sessions that are due go first.
    const places = Math.floor(free / 2);
    if (places === 0 || performance.now() < next) return [];
    const leases = await claimReclaimable(options, places);
    if (leases.length < places) next = performance.now() + pause;
    return leases;
  };
}

/** The same claim as of a session that is due: with a higher epoch, and of nothing that another worker has locked. */
export async function claimReclaimable(options: ReclaimerOptions, most: number): Promise<Lease[]> {
  const { db, owner, leaseMs, reclaimMs, host } = options;
  const { rows } = await db.query<{ id: string; lease_epoch: number }>({
    name: "claim_reclaimable",
    text: `
      with idle as (
        select id from sessions
        where disk_host = $1 and idle_since < now() - $2 * interval '1 millisecond'
          and lease_owner is null and pending_at is null
          and status = 'idle' and archived_at is null and terminated_at is null
        order by idle_since limit $3 for update skip locked
      )
      update sessions set
        lease_owner = $4,
        lease_until = now() + $5 * interval '1 millisecond',
        lease_epoch = lease_epoch + 1
      where id in (select id from idle)
      returning id, lease_epoch`,
    values: [host, reclaimMs, most, owner, leaseMs],
  });
  return rows.map((row) => ({ sessionId: row.id, owner, epoch: row.lease_epoch }));
}
