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
   * Takes the disk away if it exists: from then on `has` does not find it, and `open` makes another. No sandbox may be open on it.
   *
   * @returns what frees its space, which may take long; null: there was no disk.
   */
  takeAway(disk: string): Promise<((signal?: AbortSignal) => Promise<void>) | null>;
}
