import { LeaseLost } from "@berth/agent";
import { Semaphore, Signal } from "@berth/concurrency";
import { formatId } from "@berth/contract";
import type { BlobStore } from "@berth/store/blobs";
import type { Database } from "@berth/store/db";
import type { Logger } from "pino";
import type { Placement } from "../inputs/placement.ts";
import { forgetRemoval, isReplaced, type Removal } from "../inputs/removal-store.ts";
import {
  isPending,
  isRepository,
  type RunFile,
  type RunMemoryStore,
  type RunRepository,
  type RunResource,
  readFileContent,
  readResources,
} from "../inputs/resource-store.ts";
import type { SessionMemory } from "../memory/session-memory.ts";
import type { Activity } from "../repositories/activity.ts";
import { type CloneDeps, type CloneTarget, cloneInto } from "../repositories/clone-into.ts";
import { type PlaceDeps, placeRepository } from "../repositories/place-repository.ts";
import { reportFailed, reportReady } from "../repositories/report-placement.ts";
import type { RepositorySnapshots } from "../repositories/snapshots/repository-snapshots.ts";
import type { RuntimeChoice } from "../system/runtime-choice.ts";
import { excludeFile, includeFile, notPlaceable } from "./file-in-repository.ts";

export interface ProvisionDeps extends CloneDeps, PlaceDeps {
  db: Database;
  snapshots: CloneDeps["snapshots"] & Pick<RepositorySnapshots, "caches">;
  blobs: BlobStore;
  /** Limits the attempts of all sessions at once, since many may wait for their retries. */
  clones: Semaphore;
  log: Logger;
}

export interface ProvisionTarget extends Omit<CloneTarget, "inSlot"> {
  /** Collects notes for the model. */
  notes: string[];
  memory: Pick<SessionMemory, "putInPlace">;
  /** Aborts when no sandbox is needed. */
  signal: AbortSignal;
  activity: Activity;
  /** The resources when the sandbox was opened; null when no command will run in it. */
  known: readonly RunResource[] | null;
  /** The files that the sandbox was opened with. */
  mounted: readonly { sha256: string; target: string }[];
  /**
   * Takes a snapshot of the disk once the repositories are in place; commands wait for it. Null when other
   * files are on the disk, or will be.
   *
   * @param isAlone returns whether only the repositories came onto the disk meanwhile.
   */
  takeSnapshot: ((isAlone: () => boolean) => Promise<void>) | null;
  /** The choice that the session has yet to make in this sandbox; null for none. */
  choice: RuntimeChoice | null;
  /** Called when a file waits for a mount point that only a fresh sandbox has. */
  onNeedsReopen(): void;
}

const MAX_CLONES = 4;

/**
 * Puts resources in place in one open sandbox, and reports the outcome in the log. Repositories are cloned
 * concurrently; see `placeRepository`. Everything else is tried once, files one at a time in the given order.
 */
export class Provisioner {
  readonly #deps: ProvisionDeps;
  readonly #target: ProvisionTarget;
  readonly #clones = new Semaphore(MAX_CLONES);
  readonly #files = new Semaphore(1);
  /** SHA-256 of the files' contents, by the path in the sandbox. */
  readonly #mountedFiles: Map<string, string>;
  /** Uuids of the repositories at whose mount paths this sandbox has a snapshot. */
  readonly #mountedSnapshots = new Set<string>();
  /** Paths at which the mount of a package cache was tried. */
  readonly #mountedCaches = new Set<string>();
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #tried = new Set<string>();
  /** Signals of the repositories that are being placed, by uuid. */
  readonly #changes = new Map<string, Signal>();
  #needsReopen = false;
  #isSnapshotStarted = false;
  /** The number of placements and removals that were started. */
  #starts = 0;

  constructor(deps: ProvisionDeps, target: ProvisionTarget) {
    this.#deps = deps;
    this.#target = target;
    this.#mountedFiles = new Map(target.mounted.map((file) => [file.target, file.sha256]));
  }

  /** Resolves when the removals are done and all resources are in place or have failed. Never rejects. */
  async putInPlace(resources: readonly RunResource[], removals: readonly Removal[]): Promise<void> {
    for (const removal of removals)
      this.#startOnce(`removal of ${removal.id}`, () => this.#files.run(() => this.#remove(removal)));
    for (const resource of resources) {
      if (isRepository(resource)) this.#startRepository(resource);
      else this.#startOnce(resource.id, () => this.#put(resource));
    }
    this.#startChoice();
    this.#startCaches();
    this.#startSnapshot(resources);
    await Promise.all(this.#underWay.values());
  }

  /** Resolves when nothing is being placed. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
  }

  /** Returns whether a file to add or remove needs a mount point that only a fresh sandbox has or lacks. */
  needsReopen(): boolean {
    return this.#needsReopen;
  }

  /** Returns whether the session has chosen an image in this sandbox, which only the next one has. */
  get choseImage(): boolean {
    return this.#target.choice?.choseImage ?? false;
  }

  /** The variables of commands that use the runtimes of this sandbox. */
  get variables(): Readonly<Record<string, string>> {
    return { ...this.#runtimes()?.variables, ...this.#target.session.devcontainer?.variables };
  }

  #runtimes(): ProvisionTarget["runtimes"] {
    return this.#target.choice?.runtimes ?? this.#target.runtimes;
  }

  /**
   * Commands wait for the choice, so that the first one has what the repositories ask for. It waits for clones
   * and builds, which have limits of their own.
   */
  #startChoice(): void {
    const { choice, activity } = this.#target;
    if (choice === null || choice.isMade) return;
    this.#start(
      "choice",
      activity.pause(() => choice.make()),
    );
  }

  /**
   * Mounts the package caches that came with the setups of repositories, once these are in place; commands wait
   * for it. A directory in which the session has files already keeps these alone.
   */
  #startCaches(): void {
    const { sandbox, known, lease, session, activity } = this.#target;
    if (known === null) return;
    const placing = [...this.#underWay.values()];
    const current = async () => {
      if (placing.length === 0) return known;
      await activity.pause(() => Promise.all(placing));
      const isSetUp = session.repositorySetup !== null || session.devcontainer !== null;
      return isSetUp ? await readResources(this.#deps.db.write, lease.sessionId) : known;
    };
    const mount = async () => {
      const caches = (await this.#deps.snapshots.caches(await current())).filter(
        ({ target }) => !this.#mountedCaches.has(target),
      );
      for (const { target } of caches) this.#mountedCaches.add(target);
      await Promise.all(caches.map((cache) => sandbox.mountSnapshot(cache, "kept")));
    };
    const mounted = mount().catch((error: unknown) => {
      this.#deps.log.error({ err: error }, "package caches could not be mounted");
    });
    this.#start("caches", mounted);
  }

  /** Starts the snapshot with the first resources; `settled` waits for it. What starts later cancels it. */
  #startSnapshot(resources: readonly RunResource[]): void {
    const { takeSnapshot, lease } = this.#target;
    const isFirst = !this.#isSnapshotStarted;
    this.#isSnapshotStarted = true;
    if (!isFirst || takeSnapshot === null) return;
    const placing = [...this.#underWay.values()];
    const started = this.#starts;
    const isAlone = () => this.#starts === started;
    const take = async () => {
      await Promise.all(placing);
      const repositories = resources.filter(isRepository).map(({ id }) => id);
      const now = await readResources(this.#deps.db.write, lease.sessionId);
      const ready = now.filter(isRepository).filter((one) => one.ready && repositories.includes(one.id));
      if (ready.length === repositories.length && isAlone()) await takeSnapshot(isAlone);
    };
    const taken = take().catch((error: unknown) => {
      this.#deps.log.error({ err: error }, "a snapshot of a disk could not be taken");
    });
    this.#start("snapshot", taken);
  }

  #startOnce(key: string, work: () => Promise<void>): void {
    if (this.#tried.has(key)) return;
    this.#tried.add(key);
    this.#starts += 1;
    this.#start(key, work());
  }

  /** Starts to place a repository. If it is being placed already, its row is read again. */
  #startRepository({ id }: RunRepository): void {
    const known = this.#changes.get(id);
    if (known !== undefined) {
      known.set();
      return;
    }
    const changed = new Signal();
    this.#changes.set(id, changed);
    this.#starts += 1;
    const inSlot = <T>(work: () => Promise<T>) => this.#clones.run(() => this.#deps.clones.run(() => work()));
    const attempt = (repository: RunRepository) =>
      cloneInto(
        this.#deps,
        { ...this.#target, runtimes: this.#runtimes(), inSlot },
        repository,
        this.#mountedSnapshots,
      );
    this.#target.choice?.expect(id);
    const placed = this.#orLog(id, () => placeRepository(this.#deps, this.#target, id, { attempt, changed }));
    const done = placed.finally(() => {
      this.#target.choice?.arrive(id);
      this.#changes.delete(id);
    });
    this.#start(
      id,
      done.then(() => this.#orLog(id, () => this.#startFilesIn(id))),
    );
  }

  /** Starts to place the files inside a repository, once the repository is in place. */
  async #startFilesIn(repositoryId: string): Promise<void> {
    if (this.choseImage) return;
    const resources = await readResources(this.#deps.db.write, this.#target.lease.sessionId);
    for (const file of resources.filter((one) => one.type === "file")) {
      if (file.repository?.id !== repositoryId || !isPending(file)) continue;
      // The model expects the file together with the repository, so it gets no note.
      this.#startOnce(file.id, () => this.#put(file, { silently: true }));
    }
  }

  #start(key: string, work: Promise<void>): void {
    const own: Promise<void> = this.#target.activity
      .run(() => work)
      .finally(() => {
        // A repository may have been started again before the files of its last attempt were looked up.
        if (this.#underWay.get(key) === own) this.#underWay.delete(key);
      });
    this.#underWay.set(key, own);
  }

  async #put(resource: RunFile | RunMemoryStore, { silently = false } = {}): Promise<void> {
    const began = performance.now();
    await this.#orLog(resource.id, async () => {
      const placement = await this.#place(resource, silently);
      if (placement === "later") return;
      if ("fault" in placement) {
        const { type, message } = placement.fault;
        const fault = { type, message: this.#deps.mask(message) };
        await reportFailed(this.#target, resource, fault);
      } else await reportReady(this.#target, resource, began, placement);
    });
  }

  async #orLog(resource: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof LeaseLost) return;
      this.#deps.log.error(
        { err: error, resource: formatId("session_resource", resource) },
        "a resource could not be put in place",
      );
    }
  }

  #place(resource: RunFile | RunMemoryStore, silently: boolean): Promise<Placement> {
    const { memory, sandbox } = this.#target;
    if (resource.type === "file") return this.#files.run(() => this.#placeFile(resource, silently));
    return memory.putInPlace(sandbox, resource);
  }

  async #placeFile(resource: RunFile, silently: boolean): Promise<Placement> {
    const content = await readFileContent(this.#deps.db.write, resource.id);
    if (content === undefined) return "later";
    if (content.sha256 === null)
      return { fault: { type: "sandbox_error", message: "The file has no content." } };
    const { repository, mountPath: target } = resource;
    if (this.#mountedFiles.get(target) === content.sha256) return {};
    const fault = repository === null ? null : await excludeFile(this.#target.sandbox, repository, target);
    if (fault !== null) return { fault };
    if (await this.#placeContent(content.sha256, target)) {
      if (!silently) this.#target.notes.push(`[A file of the user is now at ${target}, read-only.]`);
      return {};
    }
    if (repository !== null) return { fault: notPlaceable(target) };
    this.#requestReopen();
    return "later";
  }

  async #placeContent(sha256: string, target: string): Promise<boolean> {
    const { path, release } = await this.#deps.blobs.local(sha256);
    return await this.#target.sandbox.placeFile({ source: path, target }).finally(release);
  }

  /** Removes a file. The removal is deleted afterwards, so that it is repeated after any interruption. */
  async #remove(removal: Removal): Promise<void> {
    const { db, log } = this.#deps;
    const { lease, sandbox, notes } = this.#target;
    try {
      if (!(await isReplaced(db.write, lease.sessionId, removal))) {
        if (!(await sandbox.removeFile(removal.mountPath))) return this.#requestReopen();
        this.#mountedFiles.delete(removal.mountPath);
        await this.#includeAgain(removal);
        notes.push(`[The file at ${removal.mountPath} was taken away by the user.]`);
      }
      await forgetRemoval(db.write, removal);
    } catch (error) {
      log.error(
        { err: error, resource: formatId("session_resource", removal.id) },
        "a file could not be removed",
      );
    }
  }

  /** Lets git list the path again, if it was in a repository. */
  async #includeAgain({ mountPath }: Removal): Promise<void> {
    const { db } = this.#deps;
    const { lease, sandbox } = this.#target;
    const repositories = (await readResources(db.write, lease.sessionId)).filter(isRepository);
    const around = repositories.find((one) => mountPath.startsWith(`${one.mountPath}/`));
    if (around !== undefined) await includeFile(sandbox, around, mountPath);
  }

  #requestReopen(): void {
    this.#needsReopen = true;
    this.#target.onNeedsReopen();
  }
}
