import { type DiskSnapshots, endDiskSnapshot, prepareDiskSnapshot, type Sandbox } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { ListRefs } from "../snapshots/build-snapshot.ts";
import {
  digestListed,
  type ListedRepository,
  listRepositories,
  type SnapshotRepository,
} from "./snapshot-repositories.ts";
import { beginTaking, finishTaking, type VolumeSnapshotKey } from "./volume-snapshot-store.ts";

export interface TakeParts {
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
  /** What the disk was made of does not fit what the hosts show. */
  replaces: boolean;
  /** What the hosts showed; null: they are to be asked. */
  listed: readonly ListedRepository[] | null;
  /** How long it takes to clone what is on the disk. */
  cloneSeconds: number;
  /** Whether nothing else than the repositories has come onto the disk since it was made. */
  isAlone(): boolean;
}

/**
 * Takes a snapshot of a session's disk, which has its repositories and nothing else. Resolves once what comes onto the disk is not in it any more,
 * so that the session may go on; the cluster makes it ready later. One into which something may have come is deleted and never used.
 *
 * @returns its id; null when none is wanted, or there can be none.
 */
export async function takeSnapshot(
  { db, snapshots, owner, listRefs }: TakeParts,
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
