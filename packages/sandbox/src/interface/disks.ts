/**
 * The disks of an engine that does not keep them in directories of this host. The first `open` with a disk's
 * name (`SandboxSpec.disk`) makes it. It contains what outlives the sandboxes on it.
 */
export interface Disks {
  /** Identifies the location of the disks, the same for every process that can open sandboxes on them. */
  readonly place: string;
  /** Absent when no disk can be made from another. */
  readonly snapshots?: DiskSnapshots;
  has(disk: string): Promise<boolean>;
  /** Returns the names of all disks. */
  list(): Promise<string[]>;
  /**
   * Removes the disk if it exists: from then on `has` does not find it, and `open` makes a new one. No
   * sandbox of this process may be open on it; one that another process left is ended.
   *
   * @param epoch Epoch of the lease that is held. Default: none is held.
   * @returns a function that frees its space, which may take long; null when there was no disk.
   * @throws SandboxError when a later lease has a sandbox on it.
   */
  takeAway(disk: string, epoch?: number): Promise<((signal?: AbortSignal) => Promise<void>) | null>;
}

/** Snapshots of disks, from which new disks are made (`SandboxSpec.diskSource`). */
export interface DiskSnapshots {
  /** Size in bytes of a disk whose spec has no limit. */
  readonly diskBytes: number;
  /**
   * Returns why snapshots cannot be used, in a sentence for the operator; null when they can. Never throws.
   */
  fault(): Promise<string | null>;
  /**
   * Takes a snapshot of a disk that a sandbox uses. It contains what was synced before, and nothing that is
   * written after this has resolved.
   *
   * @param id A new UUID.
   * @param owner The owner for `list`.
   * @throws SandboxError when it was not taken in time, and the signal's reason. It may then still be taken
   * later, until it is removed.
   */
  take(disk: string, id: string, owner: string, signal: AbortSignal): Promise<void>;
  /** Returns null when the snapshot does not exist. */
  find(id: string): Promise<FoundSnapshot | null>;
  list(owner: string): Promise<FoundSnapshot[]>;
  remove(id: string): Promise<void>;
}

export interface FoundSnapshot {
  id: string;
  /** Whether disks can be made from it. */
  isReady: boolean;
  /** Minimum size of such a disk in bytes. */
  bytes: number;
}
