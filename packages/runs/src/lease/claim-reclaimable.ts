import type { Queryable } from "@berth/store/db";
import { type ClaimedRow, type Lease, leaseOf } from "@berth/store/leases";

export interface ReclaimOptions {
  db: Queryable;
  owner: string;
  leaseMs: number;
  /** Milliseconds for which a session must be idle, by the database's clock. */
  reclaimMs: number;
  /** Milliseconds for which a session must be idle if the host is drained or its disk is ephemeral. */
  sandboxIdleMs: number;
  /** The place whose disks are reclaimed; see `Host`. */
  place: string;
}

const MAX_PAUSE_MS = 60_000;
const MIN_PAUSE_MS = 250;

/**
 * Claims sessions whose disk is to be reclaimed. However often `claim` is called, it queries the database
 * once a minute, more often if sessions are reclaimed sooner or the host is drained. While there are more
 * such sessions than it claimed, it queries at each call.
 */
export class ReclaimClaims {
  readonly #options: ReclaimOptions;
  #nextLook = 0;
  #wasDraining = false;

  constructor(options: ReclaimOptions) {
    this.#options = options;
  }

  /** @param free free slots of the worker. Half of them are left to due sessions. */
  async claim(free: number, isDraining: boolean): Promise<Lease[]> {
    if (isDraining !== this.#wasDraining) this.#nextLook = 0;
    this.#wasDraining = isDraining;
    const limit = Math.floor(free / 2);
    if (limit <= 0 || performance.now() < this.#nextLook) return [];
    const { reclaimMs, sandboxIdleMs } = this.#options;
    const idleMs = isDraining ? Math.min(reclaimMs, sandboxIdleMs) : reclaimMs;
    const leases = await claimReclaimable({ ...this.#options, idleMs }, limit);
    const left = { ...this.#options, idleMs: Math.min(idleMs, sandboxIdleMs) };
    if (leases.length < limit) leases.push(...(await claimEphemeral(left, limit - leases.length)));
    if (leases.length < limit) this.#nextLook = performance.now() + pauseMs(idleMs);
    return leases;
  }
}

function pauseMs(idleMs: number): number {
  return Math.max(MIN_PAUSE_MS, Math.min(idleMs / 4, MAX_PAUSE_MS));
}

/** `idleMs`: milliseconds for which a session must be idle. */
type ClaimOptions = Pick<ReclaimOptions, "db" | "owner" | "leaseMs" | "place"> & { idleMs: number };

/** Claims as `claimRuns` does: raises the epoch, and skips locked rows. Longest idle first. */
export async function claimReclaimable(options: ClaimOptions, limit: number): Promise<Lease[]> {
  const { rows } = await options.db.query<ClaimedRow>({
    name: "claim_reclaimable",
    text: `
      with idle as (
        select id from sessions where ${IS_IDLE}
        order by idle_since limit $3 for update skip locked
      )
      ${LEASE_IDLE}`,
    values: claimValues(options, limit),
  });
  return rows.map((row) => leaseOf(row, options.owner));
}

/**
 * As `claimReclaimable`, for sessions with an ephemeral disk. Closing a sandbox removes such a disk; these
 * were left by a worker that died or stopped, or that could not save the outputs.
 */
export async function claimEphemeral(options: ClaimOptions, limit: number): Promise<Lease[]> {
  const { rows } = await options.db.query<ClaimedRow>({
    name: "claim_ephemeral",
    text: `
      with idle as (
        select id from sessions where ${IS_IDLE} and disk_ephemeral and exists (
          select from environments where id = environment_id and workspace = 'ephemeral'
        )
        order by idle_since limit $3 for update of sessions skip locked
      )
      ${LEASE_IDLE}`,
    values: claimValues(options, limit),
  });
  return rows.map((row) => leaseOf(row, options.owner));
}

/** $1 place, $2 milliseconds. */
const IS_IDLE = `home = $1 and idle_since < now() - $2 * interval '1 millisecond'
  and lease_owner is null and pending_at is null
  and status = 'idle' and archived_at is null and terminated_at is null`;

/** $4 owner, $5 milliseconds. */
const LEASE_IDLE = `update sessions set
    lease_owner = $4,
    lease_until = now() + $5 * interval '1 millisecond',
    lease_epoch = lease_epoch + 1
  where id in (select id from idle)
  returning id, organization_id, lease_epoch`;

function claimValues({ place, idleMs, owner, leaseMs }: ClaimOptions, limit: number) {
  return [place, idleMs, limit, owner, leaseMs];
}
