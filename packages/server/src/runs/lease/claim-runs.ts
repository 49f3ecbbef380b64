import type { Queryable } from "../../db/statement.ts";
import { HELD, type Lease, leaseValues } from "./lease.ts";

/**
 * Leases up to `limit` sessions to `owner`, longest due first: due sessions that nobody holds, and sessions whose lease has
 * expired because their holder died or lost its connection. Each claim raises the epoch, so that later writes of the former
 * holder are rejected. Concurrent claims never return the same session.
 *
 * A deleted session is claimed only by the installation that has its disk, if it has one: only the disk is left to remove.
 *
 * @param ttlMs from now, by the database's clock.
 * @param host names this installation on this machine; see `DiskDirectory`.
 */
export async function claimRuns(
  db: Queryable,
  owner: string,
  ttlMs: number,
  limit: number,
  host: string,
): Promise<Lease[]> {
  const { rows } = await db.query<{ id: string; lease_epoch: number }>({
    name: "claim_runs",
    text: `
      with due as (
        select id from sessions where pending_at is not null and lease_owner is null and ${IS_CLAIMABLE}
        order by pending_at limit $3 for update skip locked
      ), orphaned as (
        select id from sessions where lease_owner is not null and lease_until < now() and ${IS_CLAIMABLE}
        limit $3 for update skip locked
      )
      update sessions set
        lease_owner = $1,
        lease_until = now() + $2 * interval '1 millisecond',
        lease_epoch = lease_epoch + 1
      where id in (select id from orphaned union all select id from due limit $3)
      returning id, lease_epoch`,
    values: [owner, ttlMs, limit, host],
  });
  return rows.map((row) => ({ sessionId: row.id, owner, epoch: row.lease_epoch }));
}

const IS_CLAIMABLE = "(deleted_at is null or disk_host is null or disk_host = $4)";

/** Renews leases of one owner in one statement. Returns the sessions whose lease is still valid. */
export async function renewLeases(
  db: Queryable,
  owner: string,
  ttlMs: number,
  leases: readonly Lease[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>({
    name: "renew_leases",
    text: `
      update sessions set lease_until = now() + $2 * interval '1 millisecond'
      from unnest($3::uuid[], $4::bigint[]) as held (id, epoch)
      where sessions.id = held.id and lease_owner = $1 and lease_epoch = held.epoch
      returning sessions.id`,
    values: [owner, ttlMs, leases.map((lease) => lease.sessionId), leases.map((lease) => lease.epoch)],
  });
  return new Set(rows.map((row) => row.id));
}

/** Releases a session that is not due, and marks it as idle since now. False: it has become due meanwhile, or the lease is lost. */
export async function releaseRun(db: Queryable, lease: Lease): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "release_run",
    text: `
      update sessions set lease_owner = null, lease_until = null, idle_since = now()
      where ${HELD} and pending_at is null`,
    values: leaseValues(lease),
  });
  return rowCount === 1;
}

/** Releases a session as due, so that another worker continues it at once. */
export async function handOverRun(db: Queryable, lease: Lease): Promise<void> {
  await db.query({
    name: "hand_over_run",
    text: `
      update sessions set lease_owner = null, lease_until = null, pending_at = coalesce(pending_at, now())
      where ${HELD}`,
    values: leaseValues(lease),
  });
}

/** The sessions among these that are due. */
export async function dueAmong(db: Queryable, sessionIds: readonly string[]): Promise<string[]> {
  if (sessionIds.length === 0) return [];
  const { rows } = await db.query<{ id: string }>({
    name: "due_among",
    text: "select id from sessions where id = any($1::uuid[]) and pending_at is not null",
    values: [sessionIds],
  });
  return rows.map((row) => row.id);
}

/**
 * Expires the leases of processes that are known to be dead. Called at every poll: a claim that such a process had sent may be
 * committed afterwards.
 */
export async function expireLeases(db: Queryable, isDead: (owner: string) => boolean): Promise<void> {
  const { rows } = await db.query<{ lease_owner: string }>({
    name: "lease_owners",
    text: "select distinct lease_owner from sessions where lease_owner is not null",
  });
  const dead = rows.map((row) => row.lease_owner).filter(isDead);
  if (dead.length === 0) return;
  await db.query({
    name: "expire_leases",
    text: `
      update sessions set lease_until = now() - interval '1 millisecond'
      where lease_owner = any($1::text[]) and lease_until >= now()`,
    values: [dead],
  });
}
