import { LeaseLost } from "@berth/agent";
import { newUuid } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { HELD, type Lease, leaseValues } from "@berth/store/leases";

/** What a session wants of a snapshot. */
export interface VolumeSnapshotKey {
  place: string;
  /** Digest of its repositories. */
  repositories: string;
  /** The most that its disk may take. */
  bytes: number;
}

export interface VolumeSnapshot {
  id: string;
  /** Digest of what the hosts of its repositories showed when it was taken. */
  refsDigest: string;
  /** How long it took to clone what is in it. */
  cloneSeconds: number;
}

/** One that was taken is not replaced within this time, unless it is of no use. */
const FRESH = "interval '1 hour'";
/** What failed, or died, is tried again after this time. */
const PAUSE = "interval '10 minutes'";
/** Of an organization at a place. */
const MAX_PER_ORGANIZATION = 32;

/** Those that the session's organization has, the newest first. */
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
 * Notes that the session takes a snapshot of its disk, and returns its id. Null: another does, one was taken within the hour, the last attempt
 * failed a moment ago, or the lease is lost.
 *
 * @param replaces the one that was taken is of no use for what the hosts show now.
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
 * Lets sessions use the snapshot. False: it is not noted any more, or the lease is lost, so that something else may have come onto the disk
 * before it was taken.
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

/** A disk is being made of it. */
export async function markUsed(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "use_volume_snapshot",
    text: "update volume_snapshots set used_at = now() where id = $1 and used_at < now() - interval '1 minute'",
    values: [id],
  });
}

/** No disk could be made of it: for a while none is tried. */
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
 * Deletes those of a place that were not used for too long, were not taken, were replaced an hour ago, or are too many of one organization.
 *
 * @param unready ids of those of which the cluster makes no volume yet: after an hour they go as well.
 * @returns how many that had been taken are gone.
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

/** Those of these ids that have a row. */
export async function knownVolumeSnapshots(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>({
    name: "known_volume_snapshots",
    text: "select id from volume_snapshots where id = any($1::uuid[])",
    values: [ids],
  });
  return new Set(rows.map(({ id }) => id));
}

/** The session's new disk is made of a snapshot: until `markVerified` it is none to go on with. @throws LeaseLost */
export async function markUnverified(db: Queryable, lease: Lease): Promise<void> {
  await setUnverified(db, lease, true);
}

/** What the session's own credentials may not see is not on its disk. @throws LeaseLost */
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
