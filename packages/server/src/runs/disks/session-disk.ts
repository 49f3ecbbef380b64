import { existsSync } from "node:fs";
import { join } from "node:path";
import { LeaseLost } from "@berth/agent";
import { formatId } from "@berth/contract";
import { isUniqueViolation } from "../../db/database-error.ts";
import type { Queryable } from "../../db/statement.ts";
import { isRepository, markAllAbsent } from "../inputs/resource-store.ts";
import type { SessionInputs } from "../inputs/session-inputs.ts";
import { HELD, type Lease, leaseValues } from "../lease/lease.ts";
import { removeAside } from "./trash.ts";

/** A session's disk on this machine. The engine creates the directory. */
export interface Disk {
  path: string;
  uid: number;
}

/** Where an installation keeps its disks. */
export interface DiskDirectory {
  directory: string;
  /** Names this installation on this machine: a disk of another name is not here. */
  host: string;
  /** Whether a repository snapshot that a disk shows is stored: without it, the disk is not whole. Default: all are. */
  hasSnapshot?(id: string): boolean;
}

/** The row's knowledge of the disk. `snapshots`: uuids of those that it shows. */
type DiskRow = { disk_host: string | null; workspace_uid: number | null; snapshots: string[] };

/** The disk of one session, for the holder of its lease. No sandbox may be open on it when it is removed. */
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
   */
  async claim(reportLost: () => Promise<void>): Promise<Disk & { isNew: boolean }> {
    const row = await this.#read();
    if (row.workspace_uid !== null && this.#isHere(row.disk_host, row.snapshots)) {
      return { path: this.#path, uid: row.workspace_uid, isNew: false };
    }
    if (row.disk_host !== null) await reportLost();
    await removeAside(this.#path);
    await markAllAbsent(this.#db, this.#lease);
    return { path: this.#path, uid: await this.#enter(), isNew: true };
  }

  /** Whether `claim` would return the disk that the session has. */
  async exists(): Promise<boolean> {
    const { disk_host: host, snapshots } = await this.#read();
    return this.#isHere(host, snapshots);
  }

  /** As `exists`, by what was just read. */
  existsAt({ session, resources }: SessionInputs): boolean {
    const shown = resources.filter(isRepository).filter(({ ready }) => ready);
    return this.#isHere(
      session.diskHost,
      shown.flatMap(({ snapshot }) => snapshot?.id ?? []),
    );
  }

  /** Deletes the disk. Its content is hostile, but nobody changes it meanwhile. */
  async remove(): Promise<void> {
    await removeAside(this.#path);
    await markAllAbsent(this.#db, this.#lease);
    await this.#db.query({
      name: "leave_disk",
      text: `
        update sessions set disk_host = null, workspace_uid = null
        where ${HELD} and disk_host = $4`,
      values: [...leaseValues(this.#lease), this.#disks.host],
    });
  }

  /**
   * Reclaims the disk: the row first, so that only the holder of the lease deletes anything, then the directory, including
   * one that a process left which died between the two. A disk on another machine is left alone.
   *
   * @param reportReclaimed appends that the session has no disk any more; see `appendReclaimed`.
   */
  async reclaim(reportReclaimed: () => Promise<void>): Promise<void> {
    const { disk_host: host } = await this.#read();
    if (host !== null && host !== this.#disks.host) return;
    if (host !== null) await reportReclaimed();
    await removeAside(this.#path);
  }

  #isHere(host: string | null, snapshots: readonly string[]): boolean {
    const { hasSnapshot = () => true } = this.#disks;
    return host === this.#disks.host && existsSync(this.#path) && snapshots.every((id) => hasSnapshot(id));
  }

  /** Read anew for each step that creates or deletes a directory: only the holder of the lease may. */
  async #read(): Promise<DiskRow> {
    const { rows } = await this.#db.query<DiskRow>({
      name: "read_disk",
      text: `
        select disk_host, workspace_uid, array(
          select template_id from session_resources
          where session_id = sessions.id and ready_at is not null and template_id is not null
        ) as snapshots
        from sessions
        where ${HELD}`,
      values: leaseValues(this.#lease),
    });
    if (rows[0] === undefined) throw new LeaseLost();
    return rows[0];
  }

  /** Uids are assigned in a cycle; one that an older disk still has is skipped. */
  async #enter(): Promise<number> {
    for (;;) {
      try {
        const { rows } = await this.#db.query<{ workspace_uid: number }>({
          name: "enter_disk",
          text: `
            update sessions set disk_host = $4, workspace_uid = coalesce(workspace_uid, nextval('workspace_uids')::integer)
            where ${HELD}
            returning workspace_uid`,
          values: [...leaseValues(this.#lease), this.#disks.host],
        });
        if (rows[0] === undefined) throw new LeaseLost();
        return rows[0].workspace_uid;
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
      }
    }
  }
}

export function diskPath({ directory }: DiskDirectory, sessionId: string): string {
  return join(directory, formatId("session", sessionId));
}
