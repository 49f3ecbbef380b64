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
   * Deletes the disk if it exists. No sandbox may be open on it. From then on `has` does not find it, and `open` makes another, also
   * while the space of this one is still being freed.
   */
  remove(disk: string): Promise<void>;
}
