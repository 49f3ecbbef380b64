import type { ResolvedCheckout } from "@berth/sandbox";
import { isForeignKeyViolation, type Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";

const REFERENCES = ["session_resources_snapshot_id_fkey", "repository_snapshots_base_id_fkey"];

/** Returns the stored form of a checkout. The default branch is a branch like any other. */
export function checkoutName({ branch, commit }: ResolvedCheckout): string {
  return commit === "" ? `branch ${branch}` : `commit ${commit}`;
}

/** A query for a snapshot of this checkout with these refs. Of plain ones, the nearest also matches. */
export interface SnapshotQuery {
  host: string;
  checkout: string;
  refsDigest: string;
  /** Digest of the setup that it has. Default: none. */
  setup?: string;
}

/** A snapshot to which a session's resource refers. */
export interface ClaimedSnapshot {
  id: string;
  uid: number;
  commit: string;
  /** The plain snapshot on which it is layered; null if it is plain itself. */
  baseId: string | null;
  /** Whether it has the checkout and the refs of the query. */
  fits: boolean;
}

/** Returns whether this machine has a snapshot of the repository for the session's organization. */
export async function hasAnySnapshot(
  db: Queryable,
  sessionId: string,
  host: string,
  url: string,
): Promise<boolean> {
  const { rows } = await db.query({
    name: "has_any_repository_snapshot",
    text: `
      select 1 as there from sessions
      join repository_mirrors using (organization_id)
      join repository_snapshots on mirror_id = repository_mirrors.id
      where sessions.id = $1 and host = $2 and url = $3 limit 1`,
    values: [sessionId, host, url],
  });
  return rows.length > 0;
}

/**
 * Refers the resource to the best snapshot of its URL that the session's own organization has on this
 * machine. Returns null when there is none, or the lease is lost. The reference keeps the snapshot until
 * `releaseSnapshot`, or until the disk is removed.
 */
export async function claimSnapshot(
  db: Queryable,
  lease: Lease,
  resourceId: string,
  { host, checkout, refsDigest, setup = "" }: SnapshotQuery,
): Promise<ClaimedSnapshot | null> {
  const { rows } = await db.query<ClaimedSnapshot>({
    name: "claim_repository_snapshot",
    text: `
      with found as (
        select repository_snapshots.id, uid, commit_sha, base_id,
          repository_snapshots.checkout = $6 and refs_digest = $7 as fits
        from sessions
        join session_resources on session_resources.session_id = sessions.id and session_resources.id = $4
        join repository_mirrors using (organization_id, url)
        join repository_snapshots on mirror_id = repository_mirrors.id
        where sessions.id = $1 and lease_owner = $2 and lease_epoch = $3 and host = $5
          and setup = $8 and ($8 = '' or repository_snapshots.checkout = $6 and refs_digest = $7)
        order by fits desc, repository_snapshots.checkout = $6 desc, repository_snapshots.id desc limit 1
        for key share of repository_snapshots
      ), used as (
        update repository_snapshots set used_at = now() from found
        where repository_snapshots.id = found.id and used_at < now() - interval '1 minute'
      )
      update session_resources set snapshot_id = found.id from found
      where session_resources.id = $4 and session_id = $1
      returning found.id, uid, commit_sha as commit, base_id as "baseId", fits`,
    values: [lease.sessionId, lease.owner, lease.epoch, resourceId, host, checkout, refsDigest, setup],
  });
  return rows[0] ?? null;
}

/** Removes the reference of a resource, when the session's disk shows no snapshot at its mount path. */
export async function releaseSnapshot(db: Queryable, lease: Lease, resourceId: string): Promise<void> {
  await db.query({
    name: "release_repository_snapshot",
    text: `
      update session_resources set snapshot_id = null from sessions
      where session_resources.id = $4 and sessions.id = session_id and snapshot_id is not null
        and sessions.id = $1 and lease_owner = $2 and lease_epoch = $3`,
    values: [lease.sessionId, lease.owner, lease.epoch, resourceId],
  });
}

/** Identifies a snapshot among those of a mirror. */
export interface SnapshotKey {
  mirrorId: string;
  checkout: string;
  refsDigest: string;
  /** Digest of its setup. Default: none, a plain clone. */
  setup?: string;
}

export interface NewSnapshot extends SnapshotKey {
  id: string;
  commit: string;
  bytes: number;
  /** The plain snapshot on which it is layered. Default: none, for a plain one. */
  baseId?: string;
}

/** Stores the snapshot, which makes it available to sessions. */
export async function insertSnapshot(db: Queryable, snapshot: NewSnapshot): Promise<void> {
  const { id, mirrorId, checkout, refsDigest, setup = "", commit, bytes, baseId = null } = snapshot;
  await db.query({
    name: "insert_repository_snapshot",
    text: `
      insert into repository_snapshots (id, mirror_id, checkout, refs_digest, setup, commit_sha, bytes, base_id)
      values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [id, mirrorId, checkout, refsDigest, setup, commit, bytes, baseId],
  });
}

/** Returns the snapshot's id and commit, or null when there is none. */
export async function findSnapshot(
  db: Queryable,
  { mirrorId, checkout, refsDigest, setup = "" }: SnapshotKey,
): Promise<{ id: string; commit: string } | null> {
  const { rows } = await db.query<{ id: string; commit: string }>({
    name: "find_repository_snapshot",
    text: `
      select id, commit_sha as commit from repository_snapshots
      where mirror_id = $1 and checkout = $2 and refs_digest = $3 and setup = $4`,
    values: [mirrorId, checkout, refsDigest, setup],
  });
  return rows[0] ?? null;
}

/** The result of a setup, with the plain snapshot that it is layered on. */
export interface FormerSetup {
  id: string;
  baseId: string;
  bytes: number;
}

/** Returns the newest snapshot of the checkout with that setup, whatever its refs were; null for none. */
export async function findFormerSetup(
  db: Queryable,
  { mirrorId, checkout, setup }: Required<Omit<SnapshotKey, "refsDigest">>,
): Promise<FormerSetup | null> {
  const { rows } = await db.query<FormerSetup>({
    name: "find_former_setup",
    text: `
      select id, base_id as "baseId", bytes from repository_snapshots
      where mirror_id = $1 and checkout = $2 and setup = $3 and base_id is not null
      order by id desc limit 1`,
    values: [mirrorId, checkout, setup],
  });
  return rows[0] ?? null;
}

/**
 * Deletes a snapshot. Returns false while a session's disk shows or needs it, or a snapshot is layered on it.
 */
export async function deleteSnapshot(db: Queryable, id: string): Promise<boolean> {
  try {
    await db.query({
      name: "delete_repository_snapshot",
      text: "delete from repository_snapshots where id = $1",
      values: [id],
    });
    return true;
  } catch (error) {
    if (REFERENCES.some((constraint) => isForeignKeyViolation(error, constraint))) return false;
    throw error;
  }
}

/** A mirror or a snapshot. */
export interface Stored {
  kind: "snapshots" | "mirrors";
  id: string;
  bytes: number;
  /** Whether no session's disk shows it, and no snapshot was built from it or is layered on it. */
  free: boolean;
  /**
   * Whether it was unused for too long, or there is a newer one of the same repository, checkout and setup. The
   * last with a setup is kept, since the next one begins with its package caches.
   */
  expired: boolean;
}

/** Returns the mirrors and snapshots of a host, the least recently used first. */
export async function readStored(db: Queryable, host: string, maxIdleDays: number): Promise<Stored[]> {
  const { rows } = await db.query<Stored>({
    name: "kept_repository_snapshots",
    text: `
      select 'snapshots' as kind, snapshots.id, snapshots.bytes, snapshots.used_at,
        not exists (select from session_resources where snapshot_id = snapshots.id)
          and not exists (select from repository_snapshots as over where over.base_id = snapshots.id) as free,
        snapshots.used_at < now() - $2 * interval '1 day' or exists (
          select from repository_snapshots as newer
          where newer.mirror_id = snapshots.mirror_id and newer.checkout = snapshots.checkout and newer.id > snapshots.id
            and newer.setup = snapshots.setup
        ) as expired
      from repository_snapshots as snapshots
      join repository_mirrors on repository_mirrors.id = snapshots.mirror_id and host = $1
      union all
      select 'mirrors', id, bytes, used_at,
        not exists (select from repository_snapshots where mirror_id = repository_mirrors.id),
        used_at < now() - $2 * interval '1 day'
      from repository_mirrors where host = $1
      order by used_at, kind desc`,
    values: [host, maxIdleDays],
  });
  return rows;
}
