import { join } from "node:path";
import { formatId } from "@berth/contract";
import type { Disks } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import { markAllAbsent } from "../inputs/placement-store.ts";
import { isRepository } from "../inputs/resource-store.ts";
import type { SessionInputs } from "../inputs/session-inputs-store.ts";
import { assignDisk, clearDisk, readDisk, type WarmWish } from "./disk-store.ts";
import { LocalDisks } from "./local-disks.ts";
import { removeAside } from "./trash.ts";

/** A session's disk. The engine creates it. */
export interface Disk {
  /** As `SandboxSpec.disk`: a path on this machine, or the name of one of the engine's disks. */
  path: string;
  /** Directory of this machine for what its sandboxes show besides it; the same as `path` where that is one. */
  besides: string;
  uid: number;
}

export interface ClaimedDisk extends Disk {
  isNew: boolean;
  /** It was the pool's until now. */
  isOfPool: boolean;
}

/** Where an installation keeps its disks. */
export interface DiskDirectory {
  directory: string;
  /** Names the place, as in `Host`: the disk of a session with another home is not here. */
  home: string;
  /** The engine's, where it has such. Default: directories below `directory`. */
  disks?: Disks;
  /** Whether a repository snapshot that a disk shows is stored: without it, the disk is not whole. Default: all are. */
  hasSnapshot?(id: string): boolean;
}

/**
 * The disk of one session, for the holder of its lease. No sandbox may be open on it when it is removed. The row is read again
 * for each step that creates or deletes a directory, since only the holder of the lease may do that.
 */
export class SessionDisk {
  readonly #db: Queryable;
  readonly #lease: Lease;
  readonly #disks: DiskDirectory;
  readonly #all: Disks;
  readonly #besides: string;

  constructor(db: Queryable, lease: Lease, disks: DiskDirectory) {
    this.#db = db;
    this.#lease = lease;
    this.#disks = disks;
    this.#all = disksOf(disks);
    this.#besides = diskPath(disks, lease.sessionId);
  }

  /**
   * Returns the session's disk. If it is not at this place or not whole, a new one takes its place, and nothing is in place
   * on that.
   *
   * @param reportLost appends that the session's former disk is lost; see `appendReclaimed`.
   * @param beforeNew called before a new disk is the session's.
   * @param wish what of the pool it may take, asked for after that. Default: nothing.
   */
  async claim(
    reportLost: () => Promise<void>,
    beforeNew: () => Promise<void> = async () => {},
    wish: () => Promise<WarmWish | null> = async () => null,
  ): Promise<ClaimedDisk> {
    const row = await readDisk(this.#db, this.#lease);
    const { restoring } = row;
    if (row.workspace_uid !== null && !restoring && (await this.#isHere(row, row.snapshots))) {
      return { ...this.#disk(row.disk, row.workspace_uid), isNew: false, isOfPool: false };
    }
    // A loss is told once, however often the disk is made from a save.
    if (row.home !== null && !restoring) await reportLost();
    await this.#discard(row.disk);
    await markAllAbsent(this.#db, this.#lease);
    await beforeNew();
    return await this.#assign(await wish());
  }

  /** Gives the session another disk in the place of a new one of the pool that does not serve, which the sweep deletes. */
  async replace(): Promise<ClaimedDisk> {
    await this.#discard(null);
    return await this.#assign(null);
  }

  /** Whether `claim` would return the disk that the session has. */
  async exists(): Promise<boolean> {
    const row = await readDisk(this.#db, this.#lease);
    return !row.restoring && (await this.#isHere(row, row.snapshots));
  }

  /** Whether it is to be removed once no sandbox is open on it: its environment said so when it was made, and says so now. */
  async isEphemeral(): Promise<boolean> {
    const { home, ephemeral } = await readDisk(this.#db, this.#lease);
    return ephemeral && home === this.#disks.home;
  }

  /** As `exists`, by what was just read. */
  async existsAt({ session, resources }: SessionInputs): Promise<boolean> {
    const shown = resources.filter(isRepository).filter(({ ready }) => ready);
    return await this.#isHere(
      session,
      shown.flatMap(({ snapshot }) => snapshot?.id ?? []),
    );
  }

  /** Deletes a disk that is not whole: `claim` makes a new one. */
  async discard(): Promise<void> {
    // Disks of this host have no other names.
    const disk = this.#disks.disks === undefined ? null : (await readDisk(this.#db, this.#lease)).disk;
    await this.#discard(disk);
  }

  /** Deletes the disk. Its content is hostile, but nobody changes it meanwhile. */
  async remove(): Promise<void> {
    await this.discard();
    await markAllAbsent(this.#db, this.#lease);
    await clearDisk(this.#db, this.#lease, this.#disks.home);
  }

  /**
   * Reclaims the disk: the row first, so that only the holder of the lease deletes anything, then the disk, including
   * one that a process left which died between the two. A disk at another place is left alone.
   *
   * @param reportReclaimed appends that the session has no disk any more; see `appendReclaimed`.
   */
  async reclaim(reportReclaimed: () => Promise<void>): Promise<void> {
    const { home, disk } = await readDisk(this.#db, this.#lease);
    if (home !== null && home !== this.#disks.home) return;
    if (home !== null) await reportReclaimed();
    await this.#discard(disk);
  }

  async #assign(wish: WarmWish | null): Promise<ClaimedDisk> {
    const { disk, workspace_uid: uid } = await assignDisk(this.#db, this.#lease, this.#disks.home, wish);
    return { ...this.#disk(disk, uid), isNew: true, isOfPool: disk !== null };
  }

  async #discard(disk: string | null): Promise<void> {
    const path = this.#path(disk);
    await (await this.#all.takeAway(path, this.#lease.epoch))?.();
    if (this.#besides !== path) await removeAside(this.#besides);
  }

  #disk(disk: string | null, uid: number): Disk {
    return { path: this.#path(disk), besides: this.#besides, uid };
  }

  #path(disk: string | null): string {
    return disk ?? diskName(this.#disks, this.#lease.sessionId);
  }

  async #isHere(
    { home, disk }: { home: string | null; disk: string | null },
    snapshots: readonly string[],
  ): Promise<boolean> {
    const { hasSnapshot = () => true } = this.#disks;
    if (home !== this.#disks.home || !snapshots.every((id) => hasSnapshot(id))) return false;
    return await this.#all.has(this.#path(disk));
  }
}

export function disksOf({ directory, home, disks = new LocalDisks(directory, home) }: DiskDirectory): Disks {
  return disks;
}

/** The name among `disksOf` of a session's disk that is named after it. */
export function diskName(disks: DiskDirectory, sessionId: string): string {
  return disks.disks === undefined ? diskPath(disks, sessionId) : formatId("session", sessionId);
}

export function diskPath({ directory }: DiskDirectory, sessionId: string): string {
  return join(directory, formatId("session", sessionId));
}
