import { join } from "node:path";
import { formatId } from "@berth/contract";
import { removeAside } from "@berth/linux";
import type { Disks } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import { markAllAbsent } from "../inputs/placement-store.ts";
import { isRepository } from "../inputs/resource-store.ts";
import type { SessionInputs } from "../inputs/session-inputs-store.ts";
import { assignDisk, clearDisk, readDisk, type WarmWish } from "./disk-store.ts";
import { LocalDisks } from "./local-disks.ts";

/** A session's disk. The engine creates it. */
export interface Disk {
  /** As `SandboxSpec.disk`: a path on this machine, or the name of one of the engine's disks. */
  path: string;
  /** A directory of this machine for files beside the disk. The same as `path` if that is a directory. */
  hostDir: string;
  uid: number;
}

export interface NewDisk extends Disk {
  /** Whether the disk was taken from the pool. */
  fromPool: boolean;
}

/** The directory or place where an installation keeps its disks. */
export interface DiskDirectory {
  directory: string;
  /** The name of the place, as in `Host`. A session with another home has its disk elsewhere. */
  home: string;
  /** The engine's disks. Default: directories below `directory`. */
  disks?: Disks;
  /** Returns whether a repository snapshot is stored, which the disk needs to be whole. Default: all are. */
  hasSnapshot?(id: string): boolean;
}

/**
 * The disk of one session, for the holder of its lease. No sandbox may be open on the disk when it is
 * removed. Only the holder may create or delete a directory, so each of these steps reads the row again.
 */
export class SessionDisk {
  readonly #db: Queryable;
  readonly #lease: Lease;
  readonly #disks: DiskDirectory;
  readonly #all: Disks;
  readonly #hostDir: string;

  constructor(db: Queryable, lease: Lease, disks: DiskDirectory) {
    this.#db = db;
    this.#lease = lease;
    this.#disks = disks;
    this.#all = disksOf(disks);
    this.#hostDir = diskPath(disks, lease.sessionId);
  }

  /**
   * Returns the session's disk. If the disk is not at this place or not whole, deletes what is left of it,
   * marks all resources as absent and returns null: then `assign` gives the session a new one.
   *
   * @param reportLost appends that the session's former disk is lost; see `appendReclaimed`.
   */
  async claim(reportLost: () => Promise<void>): Promise<Disk | null> {
    const row = await readDisk(this.#db, this.#lease);
    const { restoring } = row;
    if (row.workspace_uid !== null && !restoring && (await this.#isHere(row, row.snapshots))) {
      return this.#disk(row.disk, row.workspace_uid);
    }
    // A loss is reported once, however often the disk is restored from a save.
    if (row.home !== null && !restoring) await reportLost();
    await this.#discard(row.disk);
    await markAllAbsent(this.#db, this.#lease);
    return null;
  }

  /**
   * Assigns a new disk to the session, after `claim` returned null or the former new disk was given up.
   *
   * @param wish the disk of the pool to take, if there is one. Default: none is taken.
   * @throws LeaseLost
   */
  async assign(wish: WarmWish | null = null): Promise<NewDisk> {
    const { disk, workspace_uid: uid } = await assignDisk(this.#db, this.#lease, this.#disks.home, wish);
    return { ...this.#disk(disk, uid), fromPool: disk !== null };
  }

  /** Gives up a disk of the pool that cannot be used, before another is assigned. The sweep deletes it. */
  async leaveToPool(): Promise<void> {
    await this.#discard(null);
  }

  /** Returns whether `claim` would return the session's existing disk. */
  async exists(): Promise<boolean> {
    const row = await readDisk(this.#db, this.#lease);
    return !row.restoring && (await this.#isHere(row, row.snapshots));
  }

  /**
   * Returns whether the disk is to be removed once no sandbox is open on it: its environment was ephemeral
   * when the disk was made, and still is.
   */
  async isEphemeral(): Promise<boolean> {
    const { home, ephemeral } = await readDisk(this.#db, this.#lease);
    return ephemeral && home === this.#disks.home;
  }

  /** As `exists`, with the row that was just read. */
  async existsAt({ session, resources }: SessionInputs): Promise<boolean> {
    const shown = resources.filter(isRepository).filter(({ ready }) => ready);
    return await this.#isHere(
      session,
      shown.flatMap(({ snapshot }) => snapshot?.id ?? []),
    );
  }

  /** Deletes a disk that is not whole, before another is assigned. */
  async discard(): Promise<void> {
    // Disks that are directories of this host are all named after their session.
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
   * Reclaims the disk. The row is changed first, so that only the holder of the lease deletes anything. Then
   * the disk is deleted, also one that was left by a process that died between the two steps. A disk at
   * another place is left alone.
   *
   * @param reportReclaimed appends that the session has no disk; see `appendReclaimed`.
   */
  async reclaim(reportReclaimed: () => Promise<void>): Promise<void> {
    const { home, disk } = await readDisk(this.#db, this.#lease);
    if (home !== null && home !== this.#disks.home) return;
    if (home !== null) await reportReclaimed();
    await this.#discard(disk);
  }

  async #discard(disk: string | null): Promise<void> {
    const path = this.#path(disk);
    await (await this.#all.takeAway(path, this.#lease.epoch))?.();
    if (this.#hostDir !== path) await removeAside(this.#hostDir);
  }

  #disk(disk: string | null, uid: number): Disk {
    return { path: this.#path(disk), hostDir: this.#hostDir, uid };
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

/** Returns the engine's disks, or directories of this machine where it has none. */
export function disksOf({ directory, home, disks = new LocalDisks(directory, home) }: DiskDirectory): Disks {
  return disks;
}

/** Returns the name, among `disksOf`, of a disk that is named after its session. */
export function diskName(disks: DiskDirectory, sessionId: string): string {
  return disks.disks === undefined ? diskPath(disks, sessionId) : formatId("session", sessionId);
}

/** Returns the path of a session's directory on this machine. */
export function diskPath({ directory }: DiskDirectory, sessionId: string): string {
  return join(directory, formatId("session", sessionId));
}
