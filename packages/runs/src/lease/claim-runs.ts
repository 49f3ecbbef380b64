import type { Queryable } from "@berth/store/db";
import {
  beatMs,
  type ClaimedRow,
  type FullOwners,
  HELD,
  type Host,
  isSeen,
  type Lease,
  leaseOf,
  leaseValues,
  mayHaveTurn,
  milliseconds,
  NONE_FULL,
} from "@berth/store/leases";

/** The worker that claims. */
export interface Claimant {
  /** The name of the worker in leases. */
  owner: string;
  /** Milliseconds that a lease lasts from now, by the database's clock. */
  leaseMs: number;
  host: Host;
  /** The number of turns that the worker runs at once. */
  capacity: number;
}

/**
 * Leases up to `limit` sessions to the worker, longest due first: due sessions that nobody holds, and
 * sessions whose lease has expired because their holder died or lost its connection. Each claim raises the
 * epoch, so that later writes of the former holder are rejected. Concurrent claims never return the same
 * session.
 *
 * A session with a disk waits for its home. Another host claims it only when it was itself up for the whole
 * grace period, in which no host of that home was seen. So after an outage of the database no host takes
 * sessions from hosts that come back a moment later. A deleted session waits without limit, since only its
 * disk is left to remove. A draining host claims only sessions whose home it is.
 *
 * Marks the host as seen, also when nothing can be claimed.
 *
 * @param dueLimit how many of the sessions may be due ones. Default: all.
 * @param full owners that may have no further turn. Default: nobody.
 */
export async function claimRuns(
  db: Queryable,
  { owner, leaseMs, host, capacity }: Claimant,
  limit: number,
  dueLimit = limit,
  full: FullOwners = NONE_FULL,
): Promise<ClaimedRun[]> {
  const { id, place, version, settings, graceMs, name, role } = host;
  const { rows } = await db.query<ClaimedRow & { owner_id: string }>({
    name: "claim_runs",
    text: CLAIM,
    values: [
      ...[owner, leaseMs, limit, place, graceMs, id, version, settings, capacity, beatMs(graceMs), name],
      ...[dueLimit, full.organizations, full.owners, role],
    ],
  });
  return rows.map((row) => ({ ...leaseOf(row, owner), ownerId: row.owner_id }));
}

/** A claimed session and its owner. */
export interface ClaimedRun extends Lease {
  ownerId: string;
}

const GRACE = milliseconds("$5");

/** Skips the row of a host that was seen a moment ago: most claims find nothing, and so write nothing. */
const MARK_SEEN = `
  insert into hosts (id, place, version, settings, capacity, name, role)
  select $6, $4, $7, $8, $9, $11, $15
  where not exists (select from hosts where id = $6 and seen_at > now() - ${milliseconds("$10")})
  on conflict (id) do update set
    place = excluded.place, version = excluded.version, settings = excluded.settings, capacity = excluded.capacity,
    name = excluded.name, role = excluded.role,
    up_since = case when hosts.seen_at < now() - ${GRACE} / 2 then now() else hosts.up_since end,
    seen_at = now()`;

const IS_DRAINING = "exists (select from hosts where id = $6 and draining)";

/** Reads the host's row as it was before: a host that was itself out of reach takes over nothing. */
const IS_STEADY = `exists (
    select from hosts
    where id = $6 and not draining and up_since < now() - ${GRACE} and seen_at > now() - ${GRACE} / 2
  )`;

/** SQL: whether the host $6 at the place $4, with the grace period $5, may claim a session. */
export const IS_CLAIMABLE = `(
    home = $4
    or (home is null and (deleted_at is not null or not ${IS_DRAINING}))
    or (deleted_at is null and not ${isSeen("home", GRACE)} and ${IS_STEADY})
  )`;

const CLAIM = `
  with seen as (${MARK_SEEN}),
  due as (
    select id from sessions where pending_at is not null and lease_owner is null and ${IS_CLAIMABLE}
      and ${mayHaveTurn("$13", "$14")}
    order by pending_at limit $12 for update skip locked
  ), orphaned as (
    select id from sessions where lease_owner is not null and lease_until < now() and ${IS_CLAIMABLE}
    limit $3 for update skip locked
  )
  update sessions set
    lease_owner = $1,
    lease_until = now() + $2 * interval '1 millisecond',
    lease_epoch = lease_epoch + 1
  where id in (select id from orphaned union all select id from due limit $3)
  returning id, organization_id, owner_id, lease_epoch`;

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

/**
 * Releases a session that is not due, and marks it as idle from now on. Returns false when it has become due
 * meanwhile, or the lease is lost.
 */
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

/** Returns the sessions among these that are due. */
export async function dueAmong(db: Queryable, sessionIds: readonly string[]): Promise<string[]> {
  if (sessionIds.length === 0) return [];
  const { rows } = await db.query<{ id: string }>({
    name: "due_among",
    text: "select id from sessions where id = any($1::uuid[]) and pending_at is not null",
    values: [sessionIds],
  });
  return rows.map((row) => row.id);
}

/** Returns the owners of all leases, including processes that have died. */
export async function leaseOwners(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ lease_owner: string }>({
    name: "lease_owners",
    text: "select distinct lease_owner from sessions where lease_owner is not null",
  });
  return rows.map((row) => row.lease_owner);
}

/**
 * Expires the leases of processes that are known to be dead. Called at every poll, since a claim that such a
 * process had sent may be committed after its death.
 */
export async function expireLeases(db: Queryable, dead: readonly string[]): Promise<void> {
  if (dead.length === 0) return;
  await db.query({
    name: "expire_leases",
    text: `
      update sessions set lease_until = now() - interval '1 millisecond'
      where lease_owner = any($1::text[]) and lease_until >= now()`,
    values: [dead],
  });
}
