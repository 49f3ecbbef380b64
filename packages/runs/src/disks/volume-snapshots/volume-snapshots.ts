import type { DiskSnapshots, Disks } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { Logger } from "pino";
import type { SessionRepository } from "../../inputs/placement.ts";
import {
  digestListed,
  digestRepositories,
  type ListedRepository,
  listRepositories,
  type SnapshotRepository,
} from "../../repositories/list-repositories.ts";
import {
  type RestoredRepositories,
  type RestoreTarget,
  restoreRepositories,
} from "../../repositories/restore-repositories.ts";
import type { ListRefs } from "../../repositories/snapshots/build-snapshot.ts";
import { SnapshotMetrics } from "../../repositories/snapshots/snapshot-metrics.ts";
import { type TakeTarget, takeSnapshot } from "./take-snapshot.ts";
import {
  deleteExpired,
  deleteVolumeSnapshots,
  knownVolumeSnapshots,
  listUsable,
  markUsed,
  markVerified,
} from "./volume-snapshot-store.ts";

export interface VolumeSnapshotDeps {
  db: { write: Queryable };
  /** The engine's disks; undefined where it has none of its own. */
  disks: Disks | undefined;
  /** uuid of the database, by which its objects in the cluster are found. */
  owner: string;
  maxIdleDays: number;
  listRefs: ListRefs;
  repositoryVariables(repositories: readonly SessionRepository[]): Record<string, string>;
  log: Logger;
  /** Default: own metrics, which nobody reads. */
  metrics?: SnapshotMetrics;
}

/** Clone time in seconds from which on a snapshot saves much: a volume takes some seconds itself. */
const MUCH_SECONDS = 10;

/** A snapshot from which a new disk is made. The session's credentials list all its repositories' refs. */
export interface FoundSnapshot {
  /** The id of the snapshot. */
  id: string;
  repositories: readonly ListedRepository[];
  /** Whether the hosts show the same refs as when it was taken. */
  isCurrent: boolean;
  /** Seconds that it took to clone its repositories. */
  cloneSeconds: number;
}

/** A session whose disk may be made from a snapshot, or become one. */
export interface SnapshotSession {
  lease: Lease;
  /** A logger whose lines name the session and its organization. */
  log: Pick<Logger, "info" | "warn">;
  repositories: readonly SnapshotRepository[];
  /** The limit of its disk in bytes; null for the engine's own. */
  diskBytes: number | null;
}

/**
 * Disks with an organization's repositories and nothing else, as snapshots of volumes. The disks of its later
 * sessions are made from them.
 *
 * Lifecycle: `find` asks the hosts whether the session may read its repositories now, before its new disk is
 * made. `restore` brings the repositories up to date in its sandbox, before anything else may use that.
 * `take` makes a snapshot of a disk once its repositories are in place, before anything else comes onto it.
 */
export class VolumeSnapshots {
  readonly #deps: VolumeSnapshotDeps & { metrics: SnapshotMetrics };
  readonly #disks: Disks;
  readonly #snapshots: DiskSnapshots;

  /** Returns null where disks are not made from snapshots. Logs a reason that the operator must know. */
  static async open(deps: VolumeSnapshotDeps): Promise<VolumeSnapshots | null> {
    const { disks, log } = deps;
    if (disks?.snapshots === undefined) return null;
    const fault = await disks.snapshots.fault();
    if (fault === null) return new VolumeSnapshots(deps, disks, disks.snapshots);
    log.warn({ why: fault }, "repositories have no volume snapshots, so sessions clone");
    return null;
  }

  private constructor(deps: VolumeSnapshotDeps, disks: Disks, snapshots: DiskSnapshots) {
    this.#deps = { metrics: new SnapshotMetrics(), ...deps };
    this.#disks = disks;
    this.#snapshots = snapshots;
  }

  /** Returns whether there is a snapshot with the session's repositories that took long to clone. */
  async savesMuch(session: SnapshotSession): Promise<boolean> {
    const usable = await listUsable(this.#deps.db.write, session.lease.sessionId, this.#keyOf(session));
    return usable.some(({ cloneSeconds }) => cloneSeconds >= MUCH_SECONDS);
  }

  /** Returns the snapshot from which the session's new disk can be made, or null. Never rejects. */
  async find(session: SnapshotSession): Promise<FoundSnapshot | null> {
    const { db, listRefs } = this.#deps;
    const { lease, log, repositories } = session;
    if (repositories.length === 0) return null;
    try {
      const usable = await listUsable(db.write, lease.sessionId, this.#keyOf(session));
      if (usable.length === 0) return null;
      const [listed, ...ready] = await Promise.all([
        listRepositories(repositories, listRefs),
        ...usable.map(async (one) => ((await this.#isReady(one.id, session)) ? [one] : [])),
      ]);
      const [newest] = ready.flat();
      if (listed === null || newest === undefined) return null;
      await markUsed(db.write, newest.id);
      const isCurrent = newest.refsDigest === digestListed(listed);
      return { id: newest.id, repositories: listed, isCurrent, cloneSeconds: newest.cloneSeconds };
    } catch (error) {
      log.warn({ err: error }, "volume snapshots could not be looked up");
      return null;
    }
  }

  /** Brings the repositories on the new disk up to date. @throws as `restoreRepositories`, and LeaseLost. */
  async restore(
    { lease, log }: SnapshotSession,
    { id, repositories, isCurrent }: FoundSnapshot,
    target: Omit<RestoreTarget, "variables">,
  ): Promise<RestoredRepositories> {
    const { db, metrics, repositoryVariables } = this.#deps;
    const began = performance.now();
    const restored = await restoreRepositories({ ...target, variables: repositoryVariables }, repositories);
    await markVerified(db.write, lease);
    for (let count = 0; count < restored.size; count += 1) metrics.count(isCurrent ? "used" : "updated");
    const milliseconds = Math.round(performance.now() - began);
    const fields = { snapshot: id, stale: !isCurrent, milliseconds };
    log.info(
      { ...fields, repositories: repositories.length, cloned: repositories.length - restored.size },
      "a disk was created from a volume snapshot",
    );
    return restored;
  }

  /** Takes a snapshot; see `takeSnapshot`. Never rejects. */
  async take(session: SnapshotSession, target: TakeTarget): Promise<void> {
    const { db, listRefs, metrics, owner } = this.#deps;
    const began = performance.now();
    const snapshots = this.#snapshots;
    try {
      const deps = { db, snapshots, owner, listRefs };
      const id = await takeSnapshot(deps, session, this.#keyOf(session), target);
      if (id === null) return;
      metrics.count("built");
      const milliseconds = Math.round(performance.now() - began);
      session.log.info({ snapshot: id, milliseconds }, "a volume snapshot was taken");
    } catch (error) {
      session.log.warn({ err: error }, "a volume snapshot could not be taken");
    }
  }

  /** Deletes expired snapshots, and those without a row. */
  async sweep(signal: AbortSignal): Promise<void> {
    const { db, maxIdleDays, metrics, owner } = this.#deps;
    // Snapshots are listed before the rows, since a row exists before its snapshot.
    const found = await this.#snapshots.list(owner);
    const unready = found.filter(({ isReady }) => !isReady).map(({ id }) => id);
    const evicted = await deleteExpired(db.write, this.#disks.place, maxIdleDays, unready);
    for (let count = 0; count < evicted; count += 1) metrics.count("evicted");
    const ids = found.map(({ id }) => id);
    const known = await knownVolumeSnapshots(db.write, ids);
    for (const id of ids) {
      if (signal.aborted) return;
      if (!known.has(id)) await this.#snapshots.remove(id);
    }
  }

  /** Returns whether a volume can be made from it. Deletes the row of one that the cluster has lost. */
  async #isReady(id: string, { diskBytes }: SnapshotSession): Promise<boolean> {
    const found = await this.#snapshots.find(id);
    if (found === null) await deleteVolumeSnapshots(this.#deps.db.write, [id]);
    return found?.isReady === true && found.bytes <= (diskBytes ?? this.#snapshots.diskBytes);
  }

  #keyOf({ repositories, diskBytes }: SnapshotSession) {
    return {
      place: this.#disks.place,
      repositories: digestRepositories(repositories),
      bytes: diskBytes ?? this.#snapshots.diskBytes,
    };
  }
}
