import { LeaseLost } from "@berth/agent";
import { newUuid } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { HELD, type Lease, leaseValues } from "@berth/store/leases";

/** The properties of the snapshots that fit a session. */
export interface VolumeSnapshotKey {
  place: string;
  /** Digest of its repositories. */
  repositories: string;
  /** The most bytes of its disk. */
  bytes: number;
}

export interface VolumeSnapshot {
  id: string;
  /** Digest of the refs that the hosts of its repositories showed when it was taken. */
  refsDigest: string;
  /** Seconds that it took to clone its repositories. */
  cloneSeconds: number;
}

/** A snapshot is not replaced within this time after it was taken, unless it is of no use. */
const FRESH = "interval '1 hour'";
/** After this time a failed or interrupted attempt is made again. */
const PAUSE = "interval '10 minutes'";
/** The most snapshots of an organization at a place. */
const MAX_PER_ORGANIZATION = 32;

/** Returns up to two usable snapshots of the session's organization, the newest first. */
export async function listUsable(
  db: Queryable,
  sessionId: string,
  { place, repositories, bytes }: VolumeSnapshotKey,
): Promise<VolumeSnapshot[]> {
  const { rows } = await db.query<VolumeSnapshot>({
    name: "usable_volume_snapshots",
    text: `
      select volume_snapshots.id, refs_digest as "refsDigest", clone_seconds as "cloneSeconds"
      from sessions join volume_snapshots using (organization_id)
      where sessions.id = $1 and place = $2 and repositories = $3 and bytes <= $4 and taken_at is not null
        and (failed_at is null or failed_at < now() - ${PAUSE})
      order by taken_at desc limit 2`,
    values: [sessionId, place, repositories, bytes],
  });
  return rows;
}

/**
 * Records that the session takes a snapshot of its disk, and returns its id. Returns null when another
 * session takes one, one was taken within the hour, the last attempt failed a moment ago, or the lease is
 * lost.
 *
 * @param replaces whether the present snapshot is of no use for the refs that the hosts show now.
 */
export async function beginTaking(
  db: Queryable,
  lease: Lease,
  { place, repositories, bytes }: VolumeSnapshotKey,
  replaces: boolean,
): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>({
    name: "begin_volume_snapshot",
    text: `
      insert into volume_snapshots (id, organization_id, place, repositories, bytes)
      select $4::uuid, organization_id, $5, $6, $7::bigint from sessions
      where ${HELD} and ($8 or not exists (
        select from volume_snapshots as other
        where other.organization_id = sessions.organization_id and other.place = $5 and other.repositories = $6
          and other.bytes <= $7 and other.taken_at > now() - ${FRESH}
      ))
      on conflict (organization_id, place, repositories) where taken_at is null
      do update set id = excluded.id, bytes = excluded.bytes, begun_at = now()
      where volume_snapshots.begun_at < now() - ${PAUSE}
      returning id`,
    values: [...leaseValues(lease), newUuid(), place, repositories, bytes, replaces],
  });
  return rows[0]?.id ?? null;
}

/**
 * Lets sessions use the snapshot. Returns false when it is not recorded as begun, or the lease is lost: then
 * other writes may have come onto the disk before it was taken.
 */
export async function finishTaking(
  db: Queryable,
  lease: Lease,
  { id, refsDigest, cloneSeconds }: VolumeSnapshot,
): Promise<boolean> {
  const { rows } = await db.query({
    name: "finish_volume_snapshot",
    text: `
      update volume_snapshots set taken_at = now(), used_at = now(), refs_digest = $5, clone_seconds = $6 from sessions
      where volume_snapshots.id = $4 and taken_at is null and ${HELD}
      returning volume_snapshots.id`,
    values: [...leaseValues(lease), id, refsDigest, cloneSeconds],
  });
  return rows.length > 0;
}

/** Records that a disk is being made from the snapshot. */
export async function markUsed(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "use_volume_snapshot",
    text: "update volume_snapshots set used_at = now() where id = $1 and used_at < now() - interval '1 minute'",
    values: [id],
  });
}

/** Records that no disk could be made from the snapshot. For a while none is tried. */
export async function markUnusable(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "fail_volume_snapshot",
    text: "update volume_snapshots set failed_at = now() where id = $1",
    values: [id],
  });
}

export async function deleteVolumeSnapshots(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.query({
    name: "delete_volume_snapshots",
    text: "delete from volume_snapshots where id = any($1::uuid[])",
    values: [ids],
  });
}

/**
 * Deletes the snapshots of a place that were not used for too long, were never finished, or were replaced an
 * hour ago. Also deletes those beyond the limit of an organization.
 *
 * @param unready ids of snapshots from which the cluster cannot make a volume yet: after an hour they are
 * deleted too.
 * @returns how many finished snapshots were deleted.
 */
export async function deleteExpired(
  db: Queryable,
  place: string,
  maxIdleDays: number,
  unready: readonly string[],
): Promise<number> {
  const { rows } = await db.query<{ taken: boolean }>({
    name: "expired_volume_snapshots",
    text: `
      delete from volume_snapshots using (
        select id, row_number() over (partition by organization_id order by used_at desc, id) as rank
        from volume_snapshots where place = $1
      ) as ranked
      where volume_snapshots.id = ranked.id and (
        rank > ${MAX_PER_ORGANIZATION}
        or used_at < now() - $2 * interval '1 day'
        or taken_at is null and begun_at < now() - ${PAUSE}
        or taken_at < now() - ${FRESH} and volume_snapshots.id = any($3::uuid[])
        or exists (
          select from volume_snapshots as newer
          where newer.organization_id = volume_snapshots.organization_id and newer.place = volume_snapshots.place
            and newer.repositories = volume_snapshots.repositories and newer.bytes <= volume_snapshots.bytes
            and newer.taken_at > volume_snapshots.taken_at and newer.taken_at < now() - ${FRESH}
        )
      )
      returning taken_at is not null as taken`,
    values: [place, maxIdleDays, unready],
  });
  return rows.filter(({ taken }) => taken).length;
}

/** Returns which of these ids have a row. */
export async function knownVolumeSnapshots(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>({
    name: "known_volume_snapshots",
    text: "select id from volume_snapshots where id = any($1::uuid[])",
    values: [ids],
  });
  return new Set(rows.map(({ id }) => id));
}

/**
 * Records that the session's new disk is made from a snapshot. Until `markVerified` it must not be used
 * further. @throws LeaseLost
 */
export async function markUnverified(db: Queryable, lease: Lease): Promise<void> {
  await setUnverified(db, lease, true);
}

/** Records that the disk has only content that the session's own credentials may read. @throws LeaseLost */
export async function markVerified(db: Queryable, lease: Lease): Promise<void> {
  await setUnverified(db, lease, false);
}

async function setUnverified(db: Queryable, lease: Lease, value: boolean): Promise<void> {
  const { rows } = await db.query({
    name: "verify_disk",
    text: `update sessions set disk_unverified = $4 where ${HELD} returning id`,
    values: [...leaseValues(lease), value],
  });
  if (rows[0] === undefined) throw new LeaseLost();
}
