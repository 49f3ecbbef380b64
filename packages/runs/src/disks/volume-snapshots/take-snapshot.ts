import { type DiskSnapshots, endDiskSnapshot, prepareDiskSnapshot, type Sandbox } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import {
  digestListed,
  type ListedRepository,
  listRepositories,
  type SnapshotRepository,
} from "../../repositories/list-repositories.ts";
import type { ListRefs } from "../../repositories/snapshots/build-snapshot.ts";
import { beginTaking, finishTaking, type VolumeSnapshotKey } from "./volume-snapshot-store.ts";

export interface TakeDeps {
  db: { write: Queryable };
  snapshots: DiskSnapshots;
  owner: string;
  listRefs: ListRefs;
}

export interface TakeTarget {
  sandbox: Pick<Sandbox, "run" | "closed">;
  /** The engine's name of the disk. */
  disk: string;
  /** All directories of the disk. */
  places: readonly string[];
  /** Whether the snapshot from which the disk was made does not fit the refs that the hosts show. */
  replaces: boolean;
  /** The refs that the hosts showed; null when they must be requested. */
  listed: readonly ListedRepository[] | null;
  /** Seconds that it takes to clone the repositories on the disk. */
  cloneSeconds: number;
  /** Returns whether only the repositories have come onto the disk since it was made. */
  isAlone(): boolean;
}

/**
 * Takes a snapshot of a session's disk, which has its repositories and nothing else. Resolves once later
 * writes are not part of it, so that the session may continue; the cluster makes it ready later. A snapshot
 * that may contain other writes is deleted and never used.
 *
 * @returns its id, or null when none is wanted or possible.
 */
export async function takeSnapshot(
  { db, snapshots, owner, listRefs }: TakeDeps,
  { lease, repositories }: { lease: Lease; repositories: readonly SnapshotRepository[] },
  key: VolumeSnapshotKey,
  { sandbox, disk, places, replaces, listed: known, cloneSeconds, isAlone }: TakeTarget,
): Promise<string | null> {
  const id = await beginTaking(db.write, lease, key, replaces);
  if (id === null) return null;
  const listed = known ?? (await listRepositories(repositories, listRefs));
  if (listed === null) return null;
  const closing = new AbortController();
  void sandbox.closed.then(() => closing.abort(new Error("The sandbox was closed.")));
  const { signal } = closing;
  const clones = repositories.map(({ repository }) => repository.mountPath);
  let isStored = false;
  try {
    if (!(await prepareDiskSnapshot(sandbox, places, clones))) return null;
    await snapshots.take(disk, id, owner, signal);
    if (signal.aborted || !isAlone()) return null;
    isStored = await finishTaking(db.write, lease, { id, refsDigest: digestListed(listed), cloneSeconds });
    return isStored ? id : null;
  } finally {
    await endDiskSnapshot(sandbox, clones);
    if (!isStored) await snapshots.remove(id);
  }
}
