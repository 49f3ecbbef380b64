import { formatId } from "@berth/contract";
import { emptyClone, type Sandbox, type SetupFailure } from "@berth/sandbox";
import type { Lease } from "@berth/store/leases";
import type { Logger } from "pino";
import type { SessionCredentials } from "../credentials/session-credentials.ts";
import type { CloneRepository, CloneRequest, Placement, PlacementFault } from "../inputs/placement.ts";
import type { RunRepository } from "../inputs/resource-store.ts";
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
  credentials: Pick<SessionCredentials, "repositoryInside" | "unsealedRepository">;
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
  lease: Lease;
  sandbox: Sandbox;
  runLog: RunLog;
  /** Refs that were requested from hosts before the sandbox was open. */
  refs: PrefetchedRefs;
  /** The repositories that were restored onto the disk and are equal to a clone. */
  restored: RestoredRepositories;
  activity: Activity;
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
  repository: RunRepository,
  mounted: Mounted,
): Promise<Placement> {
  const report = new ProgressReport(target.runLog, formatId("session_resource", repository.id));
  const onSetup = () => report.progress({ phase: "setting_up", percent: null });
  try {
    const attempt = new Attempt(deps, target, repository, mounted, report.progress);
    const setup = setupRequest(target, repository);
    if (setup === null) return await target.inSlot(() => attempt.place());
    // This takes no slot, since it may wait for long. Only a branch, tag or commit has such snapshots.
    const isPrepared = repository.checkout?.type !== "ref";
    const prepared = isPrepared
      ? await attempt.fromSetup(setup, onSetup)
      : { placement: null, failure: null };
    if (prepared.placement !== null) return prepared.placement;
    return await target.inSlot(() => attempt.placeAndSetUp(setup, prepared.failure, onSetup));
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

  /**
   * Mounts a snapshot with the setup, which is built when it is missing. If `placement` is null, the
   * repository must be placed without it.
   */
  async fromSetup(
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
    const restored = this.#target.restored.get(id);
    if (restored !== undefined) return restored;
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
  async placeAndSetUp(
    setup: SetupRequest,
    known: SetupFailure | null,
    onSetup: () => void,
  ): Promise<Placement> {
    const placed = await this.place();
    if (placed === "later" || "fault" in placed) return placed;
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
