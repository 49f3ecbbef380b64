import { existsSync } from "node:fs";
import { join } from "node:path";
import { formatId } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { markAllAbsent } from "../inputs/placement-store.ts";
import { isRepository } from "../inputs/resource-store.ts";
import type { SessionInputs } from "../inputs/session-inputs-store.ts";
import type { Lease } from "../lease/lease.ts";
import { assignDisk, clearDisk, readDisk } from "./disk-store.ts";
import { removeAside } from "./trash.ts";

/** A session's disk on this machine. The engine creates the directory. */
export interface Disk {
  path: string;
  uid: number;
}

/** Where an installation keeps its disks. */
export interface DiskDirectory {
  directory: string;
  /** Names the place, as in `Host`: the disk of a session with another home is not here. */
  home: string;
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
  readonly #path: string;

  constructor(db: Queryable, lease: Lease, disks: DiskDirectory) {
    this.#db = db;
    this.#lease = lease;
    this.#disks = disks;
    this.#path = diskPath(disks, lease.sessionId);
  }

  /**
   * Returns the session's disk. If it is not on this machine or not whole, a new one takes its place, and nothing is in place
   * on that.
   *
   * @param reportLost appends that the session's former disk is lost; see `appendReclaimed`.
   * @param beforeNew called before a new disk is the session's.
   */
  async claim(
    reportLost: () => Promise<void>,
    beforeNew: () => Promise<void> = async () => {},
  ): Promise<Disk & { isNew: boolean }> {
    const row = await readDisk(this.#db, this.#lease);
    const { restoring } = row;
    if (row.workspace_uid !== null && !restoring && this.#isHere(row.home, row.snapshots)) {
      return { path: this.#path, uid: row.workspace_uid, isNew: false };
    }
    // A loss is told once, however often the disk is made from a save.
    if (row.home !== null && !restoring) await reportLost();
    await this.discard();
    await markAllAbsent(this.#db, this.#lease);
    await beforeNew();
    return { path: this.#path, uid: await assignDisk(this.#db, this.#lease, this.#disks.home), isNew: true };
  }

  /** Whether `claim` would return the disk that the session has. */
  async exists(): Promise<boolean> {
    const { home, snapshots, restoring } = await readDisk(this.#db, this.#lease);
    return !restoring && this.#isHere(home, snapshots);
  }

  /** As `exists`, by what was just read. */
  existsAt({ session, resources }: SessionInputs): boolean {
    const shown = resources.filter(isRepository).filter(({ ready }) => ready);
    return this.#isHere(
      session.home,
      shown.flatMap(({ snapshot }) => snapshot?.id ?? []),
    );
  }

  /** Deletes the directory of a disk that is not whole: `claim` makes a new one. */
  async discard(): Promise<void> {
    await removeAside(this.#path);
  }

  /** Deletes the disk. Its content is hostile, but nobody changes it meanwhile. */
  async remove(): Promise<void> {
    await removeAside(this.#path);
    await markAllAbsent(this.#db, this.#lease);
    await clearDisk(this.#db, this.#lease, this.#disks.home);
  }

  /**
   * Reclaims the disk: the row first, so that only the holder of the lease deletes anything, then the directory, including
   * one that a process left which died between the two. A disk on another machine is left alone.
   *
   * @param reportReclaimed appends that the session has no disk any more; see `appendReclaimed`.
   */
  async reclaim(reportReclaimed: () => Promise<void>): Promise<void> {
    const { home } = await readDisk(this.#db, this.#lease);
    if (home !== null && home !== this.#disks.home) return;
    if (home !== null) await reportReclaimed();
    await removeAside(this.#path);
  }

  #isHere(home: string | null, snapshots: readonly string[]): boolean {
    const { hasSnapshot = () => true } = this.#disks;
    return home === this.#disks.home && existsSync(this.#path) && snapshots.every((id) => hasSnapshot(id));
  }
}

export function diskPath({ directory }: DiskDirectory, sessionId: string): string {
  return join(directory, formatId("session", sessionId));
}
