import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { singleFlight } from "@berth/concurrency";
import { formatId } from "@berth/contract";
import {
  digestRefs,
  type MountedSnapshot,
  type RemoteRefs,
  refreshClone,
  resolveCheckout,
  type Sandbox,
} from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import { type Lease, type LeasedSession, sessionFields } from "@berth/store/leases";
import type { Logger } from "pino";
import type { CloneRequest, SessionRepository } from "../../inputs/placement.ts";
import { isRepository, type MountableSnapshot, type RunResource } from "../../inputs/resource-store.ts";
import type { SetupRequest } from "./build-setup.ts";
import type { BuildRequest } from "./build-snapshot.ts";
import { mountedCaches } from "./package-caches.ts";
import { SetupBuilder, type SetupBuilderDeps, type SetupOutcome } from "./setup-builder.ts";
import { type BuilderDeps, SnapshotBuilder } from "./snapshot-builder.ts";
import { directoryOf, diskOf, mountSource, setupLayer } from "./snapshot-directory.ts";
import {
  type ClaimedSnapshot,
  checkoutName,
  claimSnapshot,
  hasAnySnapshot,
  releaseSnapshot,
  type Stored,
} from "./snapshot-store.ts";
import { type EvictionReason, evictSnapshots, type SweepDeps, sweepSnapshots } from "./sweep-snapshots.ts";

export interface SnapshotDeps extends Omit<BuilderDeps, "evict" | "engine"> {
  engine: BuilderDeps["engine"] & SetupBuilderDeps["engine"];
  db: { read: Queryable; write: Queryable };
  log: Logger;
  /** Days without use after which a snapshot is deleted. */
  maxIdleDays: number;
  /** Whether disks are made from snapshots of volumes, so that clones are counted as well. Default: false. */
  hasVolumeSnapshots?: boolean;
}

/** The session, sandbox and resource for which a repository is put in place. */
export interface MountTarget {
  lease: Lease;
  /** A logger whose lines name the session and its organization. */
  log: Pick<Logger, "info" | "warn">;
  /** uuid of the resource. */
  resourceId: string;
  sandbox: Pick<Sandbox, "mountSnapshot" | "unmountSnapshot" | "run">;
  /** Uuids of the resources at whose mount paths the sandbox has a snapshot. */
  mounted: Set<string>;
}

/** A mounted snapshot. `stale`: whether it had to be brought up to date. */
export interface MountResult {
  commit: string;
  stale: boolean;
}

/** Milliseconds. A request to a host that does not respond delays the next one by this much at most. */
const MAX_LIST_WAIT_MS = 1_000;

/**
 * Repositories that were prepared on this machine ("repository snapshots"), for sessions of the organization
 * whose session had them first.
 *
 * Lifecycle: `remoteRefs` asks the host whether the session may read the repository now, while its sandbox is
 * being opened. `mount` mounts the best snapshot; if that cannot be completed it is unmounted, and the
 * repository is cloned. `requestBuild` then builds a snapshot in the background.
 */
export class RepositorySnapshots {
  readonly #deps: SnapshotDeps;
  readonly #builder: SnapshotBuilder;
  readonly #setups: SetupBuilder;
  readonly #sweepDeps: SweepDeps;
  readonly #listRefs: (repository: SessionRepository) => Promise<RemoteRefs | null>;

  /** Creates the directories. With `maxBytes` of 0, no snapshot is built or newly mounted. */
  static async open(deps: SnapshotDeps): Promise<RepositorySnapshots> {
    for (const kind of ["mirrors", "snapshots"] as const)
      await mkdir(directoryOf(deps.directory, kind), { recursive: true, mode: 0o700 });
    return new RepositorySnapshots(deps);
  }

  private constructor(deps: SnapshotDeps) {
    this.#deps = deps;
    const evict = () => evictSnapshots(this.#sweepDeps);
    this.#builder = new SnapshotBuilder({ ...deps, evict });
    this.#setups = new SetupBuilder({ ...deps, evict }, this.#builder);
    this.#sweepDeps = {
      ...deps,
      isBuilding: (id) => this.#builder.isBuilding(id),
      onEvicted: (stored, reason) => this.#reportEvicted(stored, reason),
    };
    // Sessions that ask the same with the same credential share one request to the host.
    this.#listRefs = singleFlight((repository: SessionRepository) => deps.listRefs(repository), {
      key: ({ type, url, username, secret }) => JSON.stringify([type, url, username, secret]),
      maxWaitMs: MAX_LIST_WAIT_MS,
    });
  }

  /** Returns the refs that the host shows to the session's credential now; null to use no snapshot. */
  async remoteRefs(session: LeasedSession, repository: SessionRepository): Promise<RemoteRefs | null> {
    if (this.#isOff()) return null;
    const { db, directory, log } = this.#deps;
    try {
      if (!(await hasAnySnapshot(db.read, session.sessionId, directory.host, repository.url))) return null;
      return await this.#listRefs(repository);
    } catch (error) {
      log.warn({ err: error, ...sessionFields(session) }, "repository snapshots could not be looked up");
      return null;
    }
  }

  /**
   * Mounts the best snapshot. Returns null when the repository must be cloned, with `overwrite` where a
   * snapshot is still mounted. Never rejects.
   *
   * @param setup digest of the setup that the snapshot must have. Default: none.
   */
  async mount(
    refs: RemoteRefs,
    target: MountTarget,
    repository: CloneRequest,
    setup = "",
  ): Promise<MountResult | null> {
    try {
      const mounted = await this.#mountCurrent(refs, target, repository, setup);
      if (mounted !== null) this.#reportMounted(target, mounted);
      return mounted;
    } catch (error) {
      const resource = formatId("session_resource", target.resourceId);
      target.log.warn({ err: error, resource }, "a repository snapshot could not be used");
      return null;
    }
  }

  /** Records that a repository was cloned in whole, because no snapshot of it could be used. */
  recordClone(): void {
    const { metrics, hasVolumeSnapshots = false } = this.#deps;
    if (hasVolumeSnapshots || !this.#isOff()) metrics?.count("cloned");
  }

  /** Records that the session's disk shows no snapshot at the resource's mount path. */
  async release(lease: Lease, resourceId: string): Promise<void> {
    await releaseSnapshot(this.#deps.db.write, lease, resourceId);
  }

  /** Builds a snapshot in the background. */
  requestBuild(session: LeasedSession, request: BuildRequest): void {
    if (!this.#isOff()) void this.#builder.request(session, request);
  }

  /**
   * Returns why a repository can have no snapshot, as a clause about it. Returns null when it can have one,
   * or the reason is not known.
   */
  whyNone(session: LeasedSession, request: BuildRequest): string | null {
    return this.#isOff() ? null : this.#builder.whyNone(session, request);
  }

  /** Sets the repository up, once for all sessions of the organization. Never rejects. */
  async setUp(session: LeasedSession, request: BuildRequest, setup: SetupRequest): Promise<SetupOutcome> {
    return this.#isOff() ? "unavailable" : await this.#setups.setUp(session, request, setup);
  }

  /** Returns whether a snapshot of this id is stored on this machine. */
  readonly has = (id: string): boolean => existsSync(diskOf(this.#deps.directory, "snapshots", id));

  /** Returns the snapshots that the session's disk shows, for its next sandbox. */
  mounts(resources: readonly RunResource[]): MountedSnapshot[] {
    return resources
      .filter(isRepository)
      .flatMap(({ ready, snapshot, mountPath }) =>
        ready && snapshot !== null ? [this.#mountOf(snapshot, mountPath)] : [],
      );
  }

  /** Returns the package caches of the results of setups that the session's disk shows. */
  async caches(resources: readonly RunResource[]): Promise<MountedSnapshot[]> {
    const shown = resources.filter(isRepository).filter(({ ready }) => ready);
    const results = shown.flatMap(({ snapshot }) => (snapshot?.baseId ? [snapshot] : []));
    if (results.length === 0) return [];
    const taken = resources.map(({ mountPath }) => mountPath);
    return await mountedCaches(this.#deps.directory, results, taken);
  }

  async sweep(signal: AbortSignal): Promise<void> {
    await sweepSnapshots(this.#sweepDeps, signal);
  }

  async close(): Promise<void> {
    await Promise.all([this.#builder.close(), this.#setups.close()]);
  }

  #reportMounted({ log, resourceId }: MountTarget, { stale }: MountResult): void {
    this.#deps.metrics?.count(stale ? "updated" : "used");
    const resource = formatId("session_resource", resourceId);
    log.info({ resource, stale }, "a repository snapshot was used");
  }

  #reportEvicted({ kind, id, bytes }: Stored, reason: EvictionReason): void {
    const isSnapshot = kind === "snapshots";
    if (isSnapshot) this.#deps.metrics?.count("evicted");
    const fields = isSnapshot ? { snapshot: id, bytes, reason } : { mirror: id, bytes, reason };
    this.#deps.log.info(fields, `a repository ${isSnapshot ? "snapshot" : "mirror"} was deleted`);
  }

  #isOff(): boolean {
    return this.#deps.maxBytes === 0;
  }

  #mountOf({ id, uid, baseId }: MountableSnapshot, target: string): MountedSnapshot {
    const { directory } = this.#deps;
    const source = mountSource(directory, "snapshots", baseId ?? id);
    const layers = baseId === null ? [] : [setupLayer(directory, id)];
    return { source, layers, name: id, uid, target };
  }

  async #mountCurrent(
    refs: RemoteRefs,
    target: MountTarget,
    repository: CloneRequest,
    setup: string,
  ): Promise<MountResult | null> {
    const snapshot = await this.#mountNearest(refs, target, repository, setup);
    if (snapshot === null) return null;
    // A snapshot has branches and tags alone; any other ref is fetched.
    if (snapshot.fits && repository.checkout?.type !== "ref")
      return { commit: snapshot.commit, stale: false };
    const { sandbox, mounted, resourceId } = target;
    const { onProgress } = repository;
    const environment = this.#deps.repositoryVariables([repository]);
    const resolved = resolveCheckout(refs, repository.checkout);
    const fresh =
      resolved && (await refreshClone(sandbox, repository, resolved, { environment, onProgress }));
    if (fresh !== null) return { commit: fresh.commit, stale: true };
    if (await sandbox.unmountSnapshot(repository.mountPath)) mounted.delete(resourceId);
    return null;
  }

  async #mountNearest(
    refs: RemoteRefs,
    { lease, resourceId, sandbox, mounted }: MountTarget,
    { checkout, mountPath }: CloneRequest,
    setup: string,
  ): Promise<ClaimedSnapshot | null> {
    const { db, directory } = this.#deps;
    const resolved = resolveCheckout(refs, checkout);
    if (resolved === null) return null;
    const key = { checkout: checkoutName(resolved), refsDigest: digestRefs(refs), setup };
    const snapshot = await claimSnapshot(db.write, lease, resourceId, { host: directory.host, ...key });
    if (snapshot === null) return null;
    if (this.has(snapshot.id) && (await sandbox.mountSnapshot(this.#mountOf(snapshot, mountPath)))) {
      mounted.add(resourceId);
      return snapshot;
    }
    await releaseSnapshot(db.write, lease, resourceId);
    return null;
  }
}
