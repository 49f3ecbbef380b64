import type { Semaphore } from "@berth/concurrency";
import { diskPlaces, type Sandbox, type SandboxSpec } from "@berth/sandbox";
import type { Lease } from "@berth/store/leases";
import type { Logger } from "pino";
import type { SessionCredentials } from "../credentials/session-credentials.ts";
import type {
  DiskSource,
  SnapshotSession,
  VolumeSnapshots,
} from "../disks/volume-snapshots/volume-snapshots.ts";
import { isPending, isRepository, type RunRepository, type RunResource } from "../inputs/resource-store.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import type { RestoredRepositories } from "../repositories/restore-repositories.ts";

export interface OriginDeps {
  volumeSnapshots?: VolumeSnapshots | null;
  credentials: Pick<SessionCredentials, "repositoryInside" | "unsealedRepository">;
  clones: Semaphore;
  log: Logger;
}

/** A session whose disk is new and has nothing of its own yet. */
export interface OriginTarget {
  lease: Lease;
  session: Pick<RunSession, "image" | "repositorySetup">;
  resources: readonly RunResource[];
  spec: Pick<SandboxSpec, "disk" | "limits" | "writable">;
}

/**
 * The source of a session's new disk. Also decides whether a snapshot is taken of the disk once its
 * repositories are in place.
 */
export class DiskOrigin {
  /** The snapshot; null for an empty disk. */
  readonly source: DiskSource | null;
  /** The restored repositories that are equal to a clone. */
  restored: RestoredRepositories = new Map();
  readonly #snapshots: VolumeSnapshots;
  readonly #session: SnapshotSession;
  readonly #deps: OriginDeps;
  readonly #target: OriginTarget;

  /**
   * Finds the source of a new disk. Returns null when volume snapshots do not apply to this session. If there
   * is a source, the hosts of all repositories have listed their refs to the session's own credentials.
   *
   * @param mayBeMade whether the disk may be made from a snapshot; otherwise it is empty.
   */
  static async find(deps: OriginDeps, target: OriginTarget, mayBeMade: boolean): Promise<DiskOrigin | null> {
    const { volumeSnapshots = null } = deps;
    const session = volumeSnapshots === null ? null : sessionOf(deps, target);
    if (volumeSnapshots === null || session === null) return null;
    const source = mayBeMade ? await volumeSnapshots.find(session) : null;
    if (source !== null) await volumeSnapshots.begin(session);
    return new DiskOrigin(deps, target, volumeSnapshots, { session, source });
  }

  /**
   * Returns whether there is a snapshot with the session's repositories that saves more than a sandbox of the
   * pool does. The hosts are not asked.
   */
  static async savesMuch(deps: OriginDeps, target: OriginTarget): Promise<boolean> {
    const { volumeSnapshots = null } = deps;
    const session = volumeSnapshots === null ? null : sessionOf(deps, target);
    return volumeSnapshots !== null && session !== null && (await volumeSnapshots.savesMuch(session));
  }

  private constructor(
    deps: OriginDeps,
    target: OriginTarget,
    snapshots: VolumeSnapshots,
    { session, source }: { session: SnapshotSession; source: DiskSource | null },
  ) {
    this.source = source;
    this.#deps = deps;
    this.#target = target;
    this.#snapshots = snapshots;
    this.#session = session;
  }

  /**
   * Restores the repositories in a sandbox that was just opened and that nobody else uses yet. If it rejects,
   * as `VolumeSnapshots.restore` does, it has closed the sandbox.
   */
  async restore(sandbox: Sandbox): Promise<void> {
    if (this.source === null) return;
    const { credentials, clones } = this.#deps;
    const repositories = this.#target.resources.filter(isRepository);
    const inside = (id: string) => credentials.repositoryInside(withId(repositories, id));
    const inSlot = <T>(work: () => Promise<T>) => clones.run(work);
    try {
      this.restored = await this.#snapshots.restore(this.#session, this.source, { sandbox, inside, inSlot });
    } catch (error) {
      await sandbox.close();
      throw error;
    }
  }

  /** Records that no disk could be made from the source. */
  async giveUp(error: unknown): Promise<void> {
    if (this.source === null) return;
    this.#session.log.warn(
      { err: error, snapshot: this.source.id },
      "a disk could not be created from a volume snapshot, so the session clones",
    );
    await this.#snapshots.giveUp(this.source);
  }

  /** Returns the function that takes a snapshot, or null for none; see `ProvisionTarget.takeSnapshot`. */
  taking(sandbox: Sandbox): ((isAlone: () => boolean) => Promise<void>) | null {
    const { session, resources, spec } = this.#target;
    const { repositories } = this.#session;
    const isWhole = this.restored.size === repositories.length;
    if ((this.source?.isCurrent && isWhole) || !isOrigin(session, resources)) return null;
    const replaces = this.source !== null && !isWhole;
    const listed = this.source?.repositories ?? null;
    const disk = { disk: spec.disk, places: diskPlaces(spec) };
    const began = performance.now();
    return async (isAlone) => {
      const cloneSeconds = Math.max((performance.now() - began) / 1_000, this.source?.cloneSeconds ?? 0);
      const target = { sandbox, ...disk, replaces, listed, cloneSeconds, isAlone };
      await this.#snapshots.take(this.#session, target);
    };
  }
}

/** Returns null unless there are repositories, all to be put in place, with readable secrets. */
function sessionOf(
  { credentials, log }: OriginDeps,
  { lease, resources, spec }: OriginTarget,
): SnapshotSession | null {
  const repositories = resources.filter(isRepository);
  if (repositories.length === 0 || !repositories.every(isPending)) return null;
  try {
    const unsealed = repositories.map((one) => ({
      id: one.id,
      checkout: one.checkout,
      repository: credentials.unsealedRepository(one),
    }));
    return { lease, log, repositories: unsealed, diskBytes: spec.limits.diskBytes };
  } catch {
    // Problems with the repository are reported when it is put in place.
    return null;
  }
}

/**
 * Returns whether only the repositories come onto the disk. The programs of an image that an environment
 * chose may have changed a clone in any way, and another session's git would run it.
 */
function isOrigin(
  { image, repositorySetup }: OriginTarget["session"],
  resources: readonly RunResource[],
): boolean {
  const isElsewhere = (one: RunResource) => one.type === "file" && one.mountPath.startsWith(UPLOADS);
  return (
    image === null &&
    repositorySetup === null &&
    resources.every((one) => isRepository(one) || isElsewhere(one))
  );
}

/** The directory of uploads, whose files are not on the disk. */
const UPLOADS = "/mnt/session/uploads/";

function withId(repositories: readonly RunRepository[], id: string): RunRepository {
  const found = repositories.find((one) => one.id === id);
  if (found === undefined) throw new Error("The repository does not belong to this session.");
  return found;
}
