import { formatId } from "@berth/contract";
import { emptyClone, type LayerRuntimes, type Sandbox, type SetupFailure } from "@berth/sandbox";
import type { Lease } from "@berth/store/leases";
import type { Logger } from "pino";
import type { SessionCredentials } from "../credentials/session-credentials.ts";
import type {
  CloneRepository,
  CloneRequest,
  Placed,
  Placement,
  PlacementFault,
} from "../inputs/placement.ts";
import type { RunRepository } from "../inputs/resource-store.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import type { RunLog } from "../lease/run-log.ts";
import type { Activity } from "./activity.ts";
import { ProgressReport } from "./progress-report.ts";
import type { RestoredRepositories } from "./restore-repositories.ts";
import { placementAfterSetup, setUpHere } from "./set-up-repository.ts";
import { type SetupInputs, setupRequest } from "./setup-request.ts";
import type { SetupRequest } from "./snapshots/build-setup.ts";
import type { PrefetchedRefs } from "./snapshots/prefetched-refs.ts";
import type { RepositorySnapshots } from "./snapshots/repository-snapshots.ts";

export interface CloneDeps {
  credentials: Pick<SessionCredentials, "repositoryInside" | "unsealedRepository" | "withToken">;
  clone: CloneRepository;
  snapshots: Pick<
    RepositorySnapshots,
    "remoteRefs" | "mount" | "release" | "requestBuild" | "setUp" | "recordClone" | "whyNone"
  >;
  mask(text: string): string;
  /** A logger whose lines name the session and its organization. */
  log: Pick<Logger, "info" | "warn">;
}

export interface CloneTarget extends SetupInputs {
  session: SetupInputs["session"] & Pick<RunSession, "toChoose">;
  lease: Lease;
  sandbox: Sandbox;
  runLog: RunLog;
  /** Refs that were requested from hosts before the sandbox was open. */
  refs: PrefetchedRefs;
  /** The repositories that were restored onto the disk and are equal to a clone. */
  restored: RestoredRepositories;
  /**
   * The repositories on the disk, as they were cloned, whose setup is left to the next sandbox. Each is taken
   * from here once.
   */
  leftToNext: Map<string, Placed>;
  activity: Activity;
  /** The choice that waits for the repositories, and for which their setup waits; null for none. */
  choice: {
    readonly isMade: boolean;
    readonly choseImage: boolean;
    placed(id: string): Promise<LayerRuntimes | null>;
  } | null;
  /** Limits how many attempts run at once. */
  inSlot<T>(work: () => Promise<T>): Promise<T>;
}

/** Uuids of the repositories at whose mount paths this sandbox has a snapshot. */
type Mounted = Set<string>;

/**
 * Puts one repository in place, set up as its environment says, and reports the progress. It uses a snapshot
 * if there is one and the session's own credential may read the repository now. Otherwise it clones, which
 * also reports what is wrong. It requests a snapshot for the next session. A setup waits for its snapshot,
 * and runs in this sandbox if there can be none.
 */
export async function cloneInto(
  deps: CloneDeps,
  target: CloneTarget,
  given: RunRepository,
  mounted: Mounted,
): Promise<Placement> {
  const repository = await deps.credentials.withToken(given);
  if ("fault" in repository) return repository;
  const report = new ProgressReport(target.runLog, formatId("session_resource", repository.id));
  const onSetup = () => report.progress({ phase: "setting_up", percent: null });
  // The next sandbox has the image.
  if (target.choice?.choseImage === true) return "later";
  try {
    const attempt = new Attempt(deps, target, repository, mounted, report.progress);
    const setup = setupRequest(target, repository);
    const isOwn = target.session.toChoose?.devcontainer === repository.id;
    if (setup === null && !isOwn) return await target.inSlot(() => attempt.place());
    if (target.choice?.isMade === false) return await attempt.placeAndChoose(target.choice, onSetup);
    return await (setup === null
      ? target.inSlot(() => attempt.place())
      : attempt.placeWithSetUp(setup, onSetup));
  } finally {
    await report.end();
  }
}

/** One attempt to put a repository in place. */
class Attempt {
  readonly #deps: CloneDeps;
  readonly #target: CloneTarget;
  readonly #repository: RunRepository;
  readonly #mounted: Mounted;
  readonly #onProgress: CloneRequest["onProgress"];

  constructor(
    deps: CloneDeps,
    target: CloneTarget,
    repository: RunRepository,
    mounted: Mounted,
    onProgress: CloneRequest["onProgress"],
  ) {
    this.#deps = deps;
    this.#target = target;
    this.#repository = repository;
    this.#mounted = mounted;
    this.#onProgress = onProgress;
  }

  /** Places the repository, from a snapshot with its setup if there can be one. */
  async placeWithSetUp(setup: SetupRequest, onSetup: () => void): Promise<Placement> {
    // This takes no slot, since it may wait for long.
    const prepared = this.#canBePrepared()
      ? await this.#fromSetup(setup, onSetup)
      : { placement: null, failure: null };
    if (prepared.placement !== null) return prepared.placement;
    return await this.#target.inSlot(() => this.#placeAndSetUp(setup, prepared.failure, onSetup));
  }

  /**
   * Places the repository, and sets it up with the runtimes that the session chooses when it has all its
   * repositories. If it is mounted from a snapshot, it is then placed anew from one with its setup. If the
   * session chooses an image, its setup is left to the sandbox with that.
   */
  async placeAndChoose(choice: NonNullable<CloneTarget["choice"]>, onSetup: () => void): Promise<Placement> {
    const { activity, sandbox, inSlot } = this.#target;
    const { id, mountPath } = this.#repository;
    const placed = await inSlot(() => this.place());
    if (placed === "later" || "fault" in placed) return placed;
    const runtimes = await activity.pause(() => choice.placed(id));
    if (choice.choseImage) {
      this.#target.leftToNext.set(id, placed);
      return "later";
    }
    const setup = setupRequest({ ...this.#target, runtimes }, this.#repository);
    if (setup === null) return placed;
    if (this.#canBePrepared() && this.#mounted.has(id) && (await sandbox.unmountSnapshot(mountPath))) {
      this.#mounted.delete(id);
      return await this.placeWithSetUp(setup, onSetup);
    }
    return await inSlot(() => this.#setUp(setup, placed, null, onSetup));
  }

  /** Only a branch, tag or commit has snapshots with its setup. */
  #canBePrepared(): boolean {
    return this.#repository.checkout?.type !== "ref";
  }

  /**
   * Mounts a snapshot with the setup, which is built when it is missing. If `placement` is null, the
   * repository must be placed without it.
   */
  async #fromSetup(
    setup: SetupRequest,
    onSetup: () => void,
  ): Promise<{ placement: Placement | null; failure: SetupFailure | null }> {
    const { snapshots } = this.#deps;
    const { lease, sandbox, activity } = this.#target;
    const present = await this.#mountSetUp(setup);
    if (present !== null || this.#mounted.has(this.#repository.id))
      return { placement: present, failure: null };
    onSetup();
    const building = snapshots.setUp(lease, this.#buildRequest(), setup);
    // Builds have limits of their own.
    const outcome = await activity.pause(() =>
      Promise.race([building, sandbox.closed.then(() => "closed" as const)]),
    );
    if (outcome === "closed") return { placement: "later", failure: null };
    if (outcome === "unavailable") return { placement: null, failure: null };
    if (outcome !== "done") return { placement: null, failure: outcome };
    return { placement: await this.#mountSetUp(setup), failure: null };
  }

  /** Places the repository from a plain snapshot or by a clone. */
  async place(): Promise<Placement> {
    const { snapshots, clone, log } = this.#deps;
    const { lease, sandbox } = this.#target;
    const { id } = this.#repository;
    const { restored, leftToNext } = this.#target;
    const present = leftToNext.get(id) ?? restored.get(id);
    leftToNext.delete(id);
    if (present !== undefined) return present;
    const remote = await this.#remoteRefs();
    const request = await this.#request();
    const fromSnapshot = remote && (await snapshots.mount(remote, this.#mountTarget(), request));
    if (fromSnapshot !== null) {
      if (fromSnapshot.stale) this.#requestBuild();
      return { commit: fromSnapshot.commit };
    }
    const overwrite = this.#mounted.has(id);
    // A clone that still refers to a former or unmountable snapshot could not be shown again.
    if (!overwrite && (remote !== null || this.#repository.snapshot !== null))
      await snapshots.release(lease, id);
    const placement = this.#masked(await clone(sandbox, { ...request, overwrite }));
    if (placement !== "later" && !("fault" in placement)) {
      snapshots.recordClone();
      log.info({ resource: formatId("session_resource", id) }, "a repository was cloned");
      this.#requestBuild();
      const why = snapshots.whyNone(lease, this.#buildRequest());
      if (why !== null) return { ...placement, noSnapshot: this.#deps.mask(why) };
    }
    return placement;
  }

  /**
   * Places the repository plainly, and then runs the setup script unless it has failed already. If the
   * repository cannot be read, a known failure of the script is not reported either.
   */
  async #placeAndSetUp(
    setup: SetupRequest,
    known: SetupFailure | null,
    onSetup: () => void,
  ): Promise<Placement> {
    const placed = await this.place();
    if (placed === "later" || "fault" in placed) return placed;
    return await this.#setUp(setup, placed, known, onSetup);
  }

  /** Runs the setup script in a repository that is in place, unless it has failed already. */
  async #setUp(
    setup: SetupRequest,
    placed: Placed,
    known: SetupFailure | null,
    onSetup: () => void,
  ): Promise<Placement> {
    const { sandbox, session } = this.#target;
    const failure = known ?? (await setUpHere(sandbox, setup, onSetup));
    const context = { session, mask: this.#deps.mask };
    const placement = placementAfterSetup(context, this.#repository, placed, failure);
    return placement !== "later" && "fault" in placement ? await this.#discard(placement.fault) : placement;
  }

  /** Removes the repository, so that another attempt clones anew. */
  async #discard(fault: PlacementFault): Promise<Placement> {
    const { id, mountPath } = this.#repository;
    const { sandbox } = this.#target;
    const isUnmounted = this.#mounted.has(id) && (await sandbox.unmountSnapshot(mountPath));
    if (isUnmounted) this.#mounted.delete(id);
    const isGone = isUnmounted || (await emptyClone(sandbox, this.#repository));
    if (isGone === "stopped") return "later";
    const message = isGone ? fault.message : `${fault.message}\nIts remains could not be removed.`;
    return { fault: { ...fault, message } };
  }

  /** Masks the message of a fault, which quotes the host. */
  #masked(placement: Placement): Placement {
    if (placement === "later" || !("fault" in placement)) return placement;
    const { fault } = placement;
    return { fault: { ...fault, message: this.#deps.mask(fault.message) } };
  }

  async #mountSetUp({ digest }: SetupRequest): Promise<{ commit: string } | null> {
    return await this.#target.inSlot(async () => {
      const remote = await this.#remoteRefs();
      const request = await this.#request();
      const mounted =
        remote && (await this.#deps.snapshots.mount(remote, this.#mountTarget(), request, digest));
      return mounted && { commit: mounted.commit };
    });
  }

  async #remoteRefs() {
    const { id } = this.#repository;
    const { lease, refs } = this.#target;
    if (this.#mounted.has(id)) return null;
    return await (refs.take(id) ?? this.#deps.snapshots.remoteRefs(lease, this.#unsealed()));
  }

  async #request(): Promise<CloneRequest> {
    const inside = await this.#deps.credentials.repositoryInside(this.#repository);
    return { ...inside, checkout: this.#repository.checkout, onProgress: this.#onProgress };
  }

  #requestBuild(): void {
    this.#deps.snapshots.requestBuild(this.#target.lease, this.#buildRequest());
  }

  #buildRequest() {
    return { repository: this.#unsealed(), checkout: this.#repository.checkout };
  }

  #unsealed() {
    return this.#deps.credentials.unsealedRepository(this.#repository);
  }

  #mountTarget() {
    const { lease, sandbox } = this.#target;
    const { log } = this.#deps;
    return { lease, log, sandbox, resourceId: this.#repository.id, mounted: this.#mounted };
  }
}
