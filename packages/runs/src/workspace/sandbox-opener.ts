import {
  diskPlaces,
  type GitSettings,
  type Sandbox,
  type SandboxSpec,
  type SystemLayers,
} from "@berth/sandbox";
import { type DiskContent, fillDisk, openOnFirst, type SourceDisk } from "../disks/disk-source.ts";
import type { WarmWish } from "../disks/disk-store.ts";
import { reportFailure } from "../disks/opening-failure.ts";
import type { Disk } from "../disks/session-disk.ts";
import { type NewDiskSources, newDiskSources } from "../disks/source/new-disk-sources.ts";
import { createEgressReport } from "../egress/egress-report.ts";
import type { Placed } from "../inputs/placement.ts";
import { isPending, onNewDisk, type RunResource, readResources } from "../inputs/resource-store.ts";
import type { SessionInputs } from "../inputs/session-inputs-store.ts";
import { prefetchRefs } from "../repositories/snapshots/prefetch-refs.ts";
import { PrefetchedRefs } from "../repositories/snapshots/prefetched-refs.ts";
import { RuntimeChoice } from "../system/runtime-choice.ts";
import type { SessionRuntimes } from "../system/session-runtimes.ts";
import { gitSettings } from "./git-settings.ts";
import { openInEnvironment } from "./open-in-environment.ts";
import type { OpenDeps, OpenedSandbox, OpenTarget, SandboxKind, ToPlace } from "./opening.ts";
import { Provisioner, type ProvisionTarget } from "./provisioner.ts";
import { countOpened, reportStarted } from "./report-opened.ts";
import {
  limitsOf,
  loweredLimits,
  type MountedContent,
  mountedContents,
  sandboxSpec,
} from "./sandbox-spec.ts";
import { endedProcessesNote } from "./untold-notes.ts";
import { withLocalFiles } from "./with-local-files.ts";

interface Opening {
  opened: OpenedSandbox;
  toPlace: ToPlace;
}

/** A sandbox on a disk that its source has filled. */
interface Made {
  sandbox: Sandbox;
  disk: SourceDisk;
  spec: SandboxSpec;
  content: DiskContent;
  system: SystemLayers | null;
  runtimes: SessionRuntimes | null;
  /** The resources when the sandbox was opened. */
  known: readonly RunResource[];
  mounted: readonly MountedContent[];
  /** Refs that were requested while the sandbox was opened. */
  refs: PrefetchedRefs;
}

/** The fields of a spec that depend on the disk, when there is none yet. */
const NO_DISK = { path: "", uid: 0, epoch: 0 };

/** Opens sandboxes on a session's disk. A failure is reported in the session's log. */
export class SandboxOpener {
  readonly #deps: OpenDeps;
  readonly #target: OpenTarget;
  /** See `CloneTarget.leftToNext`. */
  readonly #leftToNext = new Map<string, Placed>();

  constructor(deps: OpenDeps, target: OpenTarget) {
    this.#deps = deps;
    this.#target = target;
  }

  /** Opens a sandbox on the session's disk, or on a new one from the first source that serves. */
  async open(all: SessionInputs): Promise<Opening> {
    const began = performance.now();
    const own = await this.#claim();
    if (own === null) this.#leftToNext.clear();
    const inputs = own === null ? { ...all, resources: all.resources.map(onNewDisk) } : all;
    // Asked for while a new disk is looked for.
    const git = gitSettings(this.#deps, inputs.session, inputs.resources);
    const { sources, snapshot } = await this.#sources(own, inputs, this.#wish(inputs));
    const lowered = this.#loweredLimits(inputs);
    const made = await openOnFirst(sources, (disk) => this.#make(disk, inputs, git), this.#report);
    await this.#reportOpened(made, began, lowered);
    const { sandbox, disk, spec, content } = made;
    const isRestored = content.save !== undefined;
    if (!disk.isNew || isRestored) this.#target.notes.push(...(await endedProcessesNote(sandbox)));
    const takeSnapshot = isRestored ? null : (snapshot?.taking(sandbox, spec, content) ?? null);
    const { session, removals } = inputs;
    const resources = isRestored ? await readResources(this.#deps.db.write, session.id) : inputs.resources;
    return {
      opened: { sandbox, provisioner: this.#provisionerOf({ ...made, takeSnapshot }) },
      toPlace: { resources: resources.filter(isPending), removals },
    };
  }

  /**
   * Opens a sandbox with only the content of the disk, without network, before the disk is removed. It needs no
   * image of a repository.
   */
  async openBare({ session: whole, ...inputs }: SessionInputs): Promise<OpenedSandbox> {
    const session = { ...whole, devcontainer: null };
    const own = await this.#claim();
    const { sources } = await this.#sources(own, { ...inputs, session, resources: [] }, null);
    const stores = inputs.resources
      .map((resource) => (own === null ? onNewDisk(resource) : resource))
      .filter(({ type }) => type === "memory_store");
    const { signal, lease, memory } = this.#target;
    const made = await openOnFirst(
      sources,
      async (disk) => {
        const spec = sandboxSpec(this.#deps, session, { ...disk, ...lease }, stores);
        const egress = { mode: "limited" as const, hosts: [] };
        return { sandbox: await this.#deps.engine.open({ ...spec, egress, signal }), spec };
      },
      this.#report,
    );
    const { sandbox } = made;
    if (stores.every(({ ready }) => ready)) await memory.catchUp(async () => sandbox);
    const nothing = {
      content: {},
      system: null,
      runtimes: null,
      known: [],
      mounted: [],
      refs: new PrefetchedRefs(),
      takeSnapshot: null,
      isBare: true,
    };
    return { sandbox, provisioner: this.#provisionerOf({ ...made, ...nothing }) };
  }

  /** Returns the session's disk, or null when it needs a new one. */
  async #claim(): Promise<Disk | null> {
    const { disk, runLog } = this.#target;
    return await disk.claim(() => runLog.appendReclaimed("lost"));
  }

  /** Returns the disk of the pool that fits the session; null for none. */
  #wish({ session, resources, removals }: SessionInputs): WarmWish | null {
    const { pool, tunnels } = this.#deps;
    if (pool === undefined) return null;
    const spec = sandboxSpec(this.#deps, session, NO_DISK, resources);
    const files = mountedContents(resources, removals);
    return pool.wish({ ...spec, files, hasTunnel: tunnels !== undefined });
  }

  async #sources(
    own: Disk | null,
    { session, resources }: SessionInputs,
    wish: WarmWish | null,
  ): Promise<NewDiskSources> {
    if (own !== null) return { sources: [{ take: async () => ({ ...own, isNew: false }) }], snapshot: null };
    const { diskBytes } = limitsOf(session, this.#deps.ceilings);
    return await newDiskSources(this.#deps, { ...this.#target, session, resources, diskBytes, wish });
  }

  async #make(
    disk: SourceDisk,
    { session, resources, removals }: SessionInputs,
    git: Promise<GitSettings>,
  ): Promise<Made> {
    const { fromPool = false, diskSource, inPlace = [] } = disk;
    const missing = resources.filter(({ id }) => !inPlace.includes(id));
    const refs = prefetchRefs(this.#deps, session, missing);
    const spec = {
      ...sandboxSpec(this.#deps, session, { ...disk, ...this.#target.lease }, resources),
      fromPool,
      ...(diskSource !== undefined && { diskSource }),
    };
    const mounted = mountedContents(resources, removals);
    return await withLocalFiles(this.#deps.blobs, mounted, async (files) => {
      const whole = { ...spec, files, git };
      const { sandbox, system, runtimes } = await openInEnvironment(
        this.#deps,
        this.#target,
        session,
        disk,
        whole,
      );
      const content = await fillDisk(disk, { sandbox, places: diskPlaces(spec), files });
      return { sandbox, disk, spec, content, system, runtimes, known: resources, mounted, refs };
    });
  }

  async #reportOpened(
    { sandbox, disk, content }: Made,
    began: number,
    lowered: ReturnType<typeof loweredLimits> | null,
  ): Promise<void> {
    const seconds = Math.round(performance.now() - began) / 1000;
    const waited = this.#target.wait.reportedSeconds;
    await reportStarted(this.#target, sandbox, {
      seconds,
      ...(waited !== null && { waited_seconds: waited }),
      ...(lowered !== null && { lowered_limits: lowered }),
      ...(content.save !== undefined && { restored: content.save }),
    });
    const counted = { kind: kindOf(disk, sandbox), seconds, diskPath: disk.path };
    countOpened(this.#deps, this.#target, sandbox, counted);
  }

  readonly #report = (error: unknown): Promise<void> =>
    reportFailure({ ...this.#target, log: this.#deps.log }, error);

  /** Returns the limits that the ceilings lower, or null when the session has those of its environment. */
  #loweredLimits({ session }: SessionInputs): ReturnType<typeof loweredLimits> | null {
    const lowered = loweredLimits(session, this.#deps.ceilings);
    if (Object.keys(lowered).length === 0) return null;
    const msg = "a session's environment requests more than the ceilings, so the session gets the ceilings";
    this.#deps.log.warn({ lowered }, msg);
    return lowered;
  }

  #provisionerOf({
    isBare = false,
    sandbox,
    spec,
    content,
    runtimes,
    known,
    ...own
  }: Pick<Made, "sandbox" | "spec" | "content" | "system" | "runtimes" | "mounted" | "refs" | "known"> &
    Pick<ProvisionTarget, "takeSnapshot"> & { isBare?: boolean }): Provisioner {
    const { log, mask } = this.#deps;
    const onEgressDenied = createEgressReport(this.#target.runLog, log, mask);
    const { writable } = spec;
    const restored = content.repositories ?? new Map();
    const later = runtimes?.later ?? null;
    const choice =
      this.#target.session.toChoose === null || isBare
        ? null
        : new RuntimeChoice(this.#deps, { ...this.#target, sandbox, later });
    const target = {
      ...{ ...this.#target, ...own, writable, restored, onEgressDenied, sandbox, choice },
      known: isBare ? null : known,
      leftToNext: this.#leftToNext,
      runtimes: later === null ? runtimes : null,
    };
    return new Provisioner(this.#deps, target);
  }
}

function kindOf({ isNew, fromPool }: SourceDisk, { wasThere }: Sandbox): SandboxKind {
  if (!isNew) return "resumed";
  return fromPool && wasThere === true ? "warm" : "new";
}
