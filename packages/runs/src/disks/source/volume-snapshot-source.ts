import { LeaseLost } from "@berth/agent";
import type { Semaphore } from "@berth/concurrency";
import { diskPlaces, type Sandbox, type SandboxSpec } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { Logger } from "pino";
import type { SessionCredentials } from "../../credentials/session-credentials.ts";
import {
  isPending,
  isRepository,
  type RunRepository,
  type RunResource,
} from "../../inputs/resource-store.ts";
import type { RunSession } from "../../inputs/session-inputs-store.ts";
import type { SnapshotRepository } from "../../repositories/list-repositories.ts";
import type { DiskContent, DiskSource, SourceDisk } from "../disk-source.ts";
import { isForUsers } from "../opening-failure.ts";
import type { SessionDisk } from "../session-disk.ts";
import { markUnusable, markUnverified } from "../volume-snapshots/volume-snapshot-store.ts";
import type {
  FoundSnapshot,
  SnapshotSession,
  VolumeSnapshots,
} from "../volume-snapshots/volume-snapshots.ts";

export interface SnapshotSourceDeps {
  db: { write: Queryable };
  /** Null or absent where disks are not made from snapshots. */
  volumeSnapshots?: VolumeSnapshots | null;
  credentials: Pick<SessionCredentials, "repositoryInside" | "unsealedRepository">;
  clones: Semaphore;
  log: Logger;
}

/** A session that needs a new disk. */
export interface SnapshotSourceTarget {
  lease: Lease;
  disk: Pick<SessionDisk, "assign" | "discard">;
  signal: AbortSignal;
  session: Pick<RunSession, "image" | "repositorySetup" | "devcontainer" | "toChoose">;
  resources: readonly RunResource[];
  /** See `SnapshotSession`. */
  diskBytes: number | null;
}

/**
 * The snapshot of a volume that has the session's repositories. Also decides whether a snapshot is taken of
 * the new disk once its repositories are in place, whichever source the disk is from.
 */
export class VolumeSnapshotSource implements DiskSource {
  readonly #deps: SnapshotSourceDeps;
  readonly #target: SnapshotSourceTarget;
  readonly #snapshots: VolumeSnapshots;
  readonly #session: SnapshotSession;
  /** The snapshot from which the disk is made; null for none. */
  #origin: FoundSnapshot | null = null;

  /** Returns null where volume snapshots do not apply to the session. */
  static of(deps: SnapshotSourceDeps, target: SnapshotSourceTarget): VolumeSnapshotSource | null {
    const { volumeSnapshots = null, log } = deps;
    const { lease, resources, diskBytes } = target;
    const repositories = volumeSnapshots === null ? null : unsealed(deps, resources);
    if (volumeSnapshots === null || repositories === null) return null;
    return new VolumeSnapshotSource(deps, target, volumeSnapshots, { lease, log, repositories, diskBytes });
  }

  private constructor(
    deps: SnapshotSourceDeps,
    target: SnapshotSourceTarget,
    snapshots: VolumeSnapshots,
    session: SnapshotSession,
  ) {
    this.#deps = deps;
    this.#target = target;
    this.#snapshots = snapshots;
    this.#session = session;
  }

  /** Returns whether there is a snapshot that saves more than a sandbox of the pool. Does not ask the hosts. */
  async savesMuch(): Promise<boolean> {
    return await this.#snapshots.savesMuch(this.#session);
  }

  /** Takes a snapshot only if the hosts list the refs of all repositories to the session's own credentials. */
  async take(): Promise<SourceDisk | null> {
    const found = await this.#snapshots.find(this.#session);
    if (found === null) return null;
    const disk = await this.#target.disk.assign();
    // Until the repositories are restored, the disk has content that the session may not be allowed to read.
    await markUnverified(this.#deps.db.write, this.#target.lease);
    this.#origin = found;
    return {
      ...disk,
      isNew: true,
      diskSource: found.id,
      fill: ({ sandbox }) => this.#restore(found, sandbox),
      giveUp: (error) => this.#giveUp(found, error),
    };
  }

  /**
   * Returns the function that takes a snapshot of the open disk, or null for none; see
   * `ProvisionTarget.takeSnapshot`.
   */
  taking(
    sandbox: Sandbox,
    spec: Pick<SandboxSpec, "disk" | "writable">,
    { repositories: restored }: DiskContent,
  ): ((isAlone: () => boolean) => Promise<void>) | null {
    const { session, resources } = this.#target;
    const origin = this.#origin;
    const isWhole = restored?.size === this.#session.repositories.length;
    if ((origin?.isCurrent && isWhole) || !isForSnapshot(session, resources)) return null;
    const replaces = origin !== null && !isWhole;
    const listed = origin?.repositories ?? null;
    const began = performance.now();
    return async (isAlone) => {
      const cloneSeconds = Math.max((performance.now() - began) / 1_000, origin?.cloneSeconds ?? 0);
      const disk = { disk: spec.disk, places: diskPlaces(spec) };
      const target = { sandbox, ...disk, replaces, listed, cloneSeconds, isAlone };
      await this.#snapshots.take(this.#session, target);
    };
  }

  async #restore(found: FoundSnapshot, sandbox: Sandbox): Promise<DiskContent> {
    const { credentials, clones } = this.#deps;
    const inside = (id: string) => credentials.repositoryInside(withId(this.#target.resources, id));
    const inSlot = <T>(work: () => Promise<T>) => clones.run(work);
    const target = { sandbox, inside, inSlot };
    return { repositories: await this.#snapshots.restore(this.#session, found, target) };
  }

  /** Gives up a snapshot from which no disk could be made. For a while no session tries it. */
  async #giveUp({ id }: FoundSnapshot, error: unknown): Promise<boolean> {
    const { disk, signal } = this.#target;
    if (signal.aborted || error instanceof LeaseLost || isForUsers(error)) return false;
    const message = "a disk could not be created from a volume snapshot, so the session clones";
    this.#session.log.warn({ err: error, snapshot: id }, message);
    await markUnusable(this.#deps.db.write, id);
    await disk.discard();
    this.#origin = null;
    return true;
  }
}

/** Returns null unless there are repositories, all to be put in place, with readable secrets. */
function unsealed(
  { credentials }: SnapshotSourceDeps,
  resources: readonly RunResource[],
): SnapshotRepository[] | null {
  const repositories = resources.filter(isRepository);
  if (repositories.length === 0 || !repositories.every(isPending)) return null;
  try {
    return repositories.map((one) => ({
      id: one.id,
      checkout: one.checkout,
      repository: credentials.unsealedRepository(one),
    }));
  } catch {
    // Problems with the repository are reported when it is put in place.
    return null;
  }
}

/**
 * Returns whether only the repositories come onto the disk. The programs of an image that an environment or a
 * repository chose may have changed a clone in any way, and another session's git would run it.
 */
function isForSnapshot(
  { image, repositorySetup, devcontainer, toChoose }: SnapshotSourceTarget["session"],
  resources: readonly RunResource[],
): boolean {
  const isElsewhere = (one: RunResource) => one.type === "file" && one.mountPath.startsWith(UPLOADS);
  return (
    image === null &&
    repositorySetup === null &&
    (devcontainer ?? toChoose?.devcontainer ?? null) === null &&
    resources.every((one) => isRepository(one) || isElsewhere(one))
  );
}

/** The directory of uploads, whose files are not on the disk. */
const UPLOADS = "/mnt/session/uploads/";

function withId(resources: readonly RunResource[], id: string): RunRepository {
  const found = resources.filter(isRepository).find((one) => one.id === id);
  if (found === undefined) throw new Error("The repository does not belong to this session.");
  return found;
}
