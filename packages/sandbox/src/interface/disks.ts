/**
 * The disks of an engine that keeps them elsewhere than in directories of this host. A disk is made by the first `open` with its
 * name (`SandboxSpec.disk`), and holds what outlives the sandboxes on it.
 */
export interface Disks {
  /** Names where they are, the same for every process that can open sandboxes on them. */
  readonly place: string;
  /** Absent: no disk can be made of another. */
  readonly snapshots?: DiskSnapshots;
  has(disk: string): Promise<boolean>;
  /** The names of all that there are. */
  list(): Promise<string[]>;
  /**
   * Takes the disk away if it exists: from then on `has` does not find it, and `open` makes another. No sandbox of this process may be open
   * on it; one that another process left is ended.
   *
   * @param epoch of the lease that is held. Default: nobody holds one.
   * @returns what frees its space, which may take long; null: there was no disk.
   * @throws SandboxError when a later lease has a sandbox on it.
   */
  takeAway(disk: string, epoch?: number): Promise<((signal?: AbortSignal) => Promise<void>) | null>;
}

/** Snapshots of disks, of which new disks are made (`SandboxSpec.diskSource`). */
export interface DiskSnapshots {
  /** Of a disk whose spec has no limit, in bytes. */
  readonly diskBytes: number;
  /** Why there can be none, in a sentence for the operator; null: there can. Never throws. */
  fault(): Promise<string | null>;
  /**
   * Takes a snapshot of a disk that a sandbox has. Nothing that is written after this has resolved is in it, and of what was written before, what
   * is synced.
   *
   * @param id uuid, new.
   * @param owner for `list`.
   * @throws SandboxError when it was not taken in time, and the signal's reason. Then it may be taken later, until it is removed.
   */
  take(disk: string, id: string, owner: string, signal: AbortSignal): Promise<void>;
  /** Null: it is gone. */
  find(id: string): Promise<FoundSnapshot | null>;
  list(owner: string): Promise<FoundSnapshot[]>;
  remove(id: string): Promise<void>;
}

export interface FoundSnapshot {
  id: string;
  /** Disks can be made of it. */
  isReady: boolean;
  /** The least that such a disk has, in bytes. */
  bytes: number;
}
