import type { DiskSource } from "../disk-source.ts";
import type { WarmWish } from "../disk-store.ts";
import type { SessionDisk } from "../session-disk.ts";
import { poolSource } from "./pool-source.ts";
import { type SaveSourceDeps, type SaveSourceTarget, saveSource } from "./save-source.ts";
import {
  type SnapshotSourceDeps,
  type SnapshotSourceTarget,
  VolumeSnapshotSource,
} from "./volume-snapshot-source.ts";

/** The sources of a session's new disk, in the order in which they are tried. */
export interface NewDiskSources {
  sources: readonly DiskSource[];
  /** The source that also takes snapshots of new disks; null where there is none. */
  snapshot: VolumeSnapshotSource | null;
}

/**
 * Returns the sources of a new disk: the session's save, the pool, a snapshot of a volume, and an empty disk,
 * which always serves. A snapshot that saves more than the pool precedes it.
 *
 * @param target `wish` is the disk of the pool that fits the session; null for none.
 */
export async function newDiskSources(
  deps: SaveSourceDeps & SnapshotSourceDeps,
  target: Omit<SaveSourceTarget, "disk"> &
    Omit<SnapshotSourceTarget, "disk"> & { disk: SessionDisk; wish: WarmWish | null },
): Promise<NewDiskSources> {
  const { disk, wish } = target;
  const snapshot = VolumeSnapshotSource.of(deps, target);
  const pool = poolSource(target, wish, deps.log);
  const isSnapshotFirst = wish !== null && snapshot !== null && (await snapshot.savesMuch());
  const made = [pool, ...(snapshot === null ? [] : [snapshot])];
  return {
    sources: [
      saveSource(deps, target),
      ...(isSnapshotFirst ? made.toReversed() : made),
      { take: async () => ({ ...(await disk.assign()), isNew: true }) },
    ],
    snapshot,
  };
}
