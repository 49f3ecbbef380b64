import type { Queryable } from "../../db/statement.ts";
import type { Lease } from "./lease.ts";

/**
 * Leases up to `free` sessions to `owner`, longest due first: those that are due and that nobody holds, and those whose
 * holder let its lease expire, which it does by dying or by being cut off. Each claim raises the epoch, so that what the
 * former holder still writes is refused. Workers that claim at once never get the same session.
 *
 * A deleted session is claimed only where its disk lies, if it has one: all that is left to do is to remove it.
 *
 * @param ttlMs from now, by the clock of the database.
 * @param host names the machine's installation; see `DiskDirectory`.
 */
export async function claimRuns(
  db: Queryable,
  owner: string,
  ttlMs: number,
  free: number,
  host: string,
): Promise<Lease[]> {
  const { rows } = await db.query<{ id: string; lease_epoch: number }>({
    name: "claim_runs",
    text: `
      with due as (
        select id from sessions where pending_at is not null and lease_owner is null and ${CLEARABLE}
        order by pending_at limit $3 for update skip locked
      ), orphaned as (
        select id from sessions where lease_owner is not null and lease_until < now() and ${CLEARABLE}
        limit $3 for update skip locked
      )
      update sessions set
        lease_owner = $1,
        lease_until = now() + $2 * interval '1 millisecond',
        lease_epoch = lease_epoch + 1
      where id in (select id from orphaned union all select id from due limit $3)
      returning id, lease_epoch`,
    values: [owner, ttlMs, free, host],
  });
  return rows.map((row) => ({ sessionId: row.id, owner, epoch: row.lease_epoch }));
}

const CLEARABLE = "(deleted_at is null or disk_host is null or disk_host = $4)";

/** Prolongs leases of one owner in one statement. Resolves with the sessions whose lease still stands. */
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

/** Gives a session back that is not due; it is idle from now on. False: it has become due meanwhile, or the lease is gone. */
export async function releaseRun(db: Queryable, lease: Lease): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "release_run",
    text: `
      update sessions set lease_owner = null, lease_until = null, idle_since = now()
      where id = $1 and lease_owner = $2 and lease_epoch = $3 and pending_at is null`,
    values: [lease.sessionId, lease.owner, lease.epoch],
  });
  return rowCount === 1;
}

/** Gives a session back as due, so that another worker goes on with it at once. */
export async function handOverRun(db: Queryable, lease: Lease): Promise<void> {
  await db.query({
    name: "hand_over_run",
    text: `
      update sessions set lease_owner = null, lease_until = null, pending_at = coalesce(pending_at, now())
      where id = $1 and lease_owner = $2 and lease_epoch = $3`,
    values: [lease.sessionId, lease.owner, lease.epoch],
  });
}

/** Those of the sessions held that have become due. */
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
 * Lets the leases of processes that are known to be dead expire now. A claim that such a process had sent off may still be
 * committed afterwards, so it is asked again and again.
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
