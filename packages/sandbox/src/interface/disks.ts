/**
 * The disks of an engine that keeps them elsewhere than in directories of this host. A disk is made by the first `open` with its
 * name (`SandboxSpec.disk`), and holds what outlives the sandboxes on it.
 */
export interface Disks {
  /** Names where they are, the same for every process that can open sandboxes on them. */
  readonly place: string;
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
