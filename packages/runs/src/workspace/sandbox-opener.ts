import type { Sandbox, SystemLayers } from "@berth/sandbox";
import { createEgressReport } from "../egress/egress-report.ts";
import { isPending, onNewDisk, readResources } from "../inputs/resource-store.ts";
import type { SessionInputs } from "../inputs/session-inputs-store.ts";
import type { SetupInputs } from "../repositories/setup-request.ts";
import { PrefetchedRefs } from "../repositories/snapshots/prefetched-refs.ts";
import { type ChosenDisk, chooseDisk } from "./choose-disk.ts";
import { openInEnvironment } from "./open-in-environment.ts";
import type { OpenDeps, OpenedSandbox, OpenTarget, SandboxKind, ToPlace } from "./opening.ts";
import { type Attempt, OpeningFailures, UnfitDisk } from "./opening-failures.ts";
import { type OpeningPlan, planOpening } from "./opening-plan.ts";
import { Provisioner } from "./provisioner.ts";
import { countOpened, reportStarted } from "./report-opened.ts";
import { type RestoredSave, restoreDisk } from "./restore-disk.ts";
import { loweredLimits, sandboxSpec } from "./sandbox-spec.ts";
import { endedProcessesNote } from "./untold-notes.ts";
import { withLocalFiles } from "./with-local-files.ts";

interface Opening {
  opened: OpenedSandbox;
  toPlace: ToPlace;
}

interface Made {
  sandbox: Sandbox;
  system: SystemLayers | null;
  /** The restored save; null when none was restored. */
  restored: RestoredSave | null;
}

/** Opens sandboxes on a session's disk. A failure is reported in the session's log. */
export class SandboxOpener {
  readonly #deps: OpenDeps;
  readonly #target: OpenTarget;
  readonly #failures: OpeningFailures;

  constructor(deps: OpenDeps, target: OpenTarget) {
    this.#deps = deps;
    this.#target = target;
    this.#failures = new OpeningFailures(deps, target);
  }

  /**
   * Opens a sandbox on the session's disk, or on a new one.
   *
   * @param mayBeMade whether a new disk may be made from a snapshot of a volume. Default: true.
   */
  async open(all: SessionInputs, mayBeMade = true): Promise<Opening> {
    const began = performance.now();
    const failures = this.#failures;
    const disk = await chooseDisk(this.#deps, this.#target, all, mayBeMade);
    if (!disk.fromPool) return await this.#openOn(disk, all, began, (open) => failures.orReport(open));
    try {
      return await this.#openOn(disk, all, began, (open) => failures.orUnfit(open));
    } catch (error) {
      if (!(error instanceof UnfitDisk)) throw error;
      this.#deps.log.warn({ err: error.cause, disk: disk.path }, "a disk of the pool cannot be used");
      const other = { ...(await this.#target.disk.replace()), save: null, mayBeMade: false };
      return await this.#openOn(other, all, began, (open) => failures.orReport(open));
    }
  }

  /** Opens a sandbox with only the content of the disk, without network, before the disk is removed. */
  async openBare({ session, resources }: SessionInputs): Promise<OpenedSandbox> {
    const disk = await chooseDisk(this.#deps, this.#target);
    const stores = resources
      .map((resource) => (disk.isNew ? onNewDisk(resource) : resource))
      .filter(({ type }) => type === "memory_store");
    const spec = sandboxSpec(this.#deps, session, { ...disk, ...this.#target.lease }, stores);
    const { signal } = this.#target;
    const sandbox = await this.#failures.orReport(() =>
      this.#deps.engine.open({ ...spec, egress: { mode: "limited", hosts: [] }, signal }),
    );
    if (stores.every(({ ready }) => ready)) await this.#target.memory.catchUp(async () => sandbox);
    return { sandbox, provisioner: this.#provisionerOf({ system: null, writable: spec.writable }, sandbox) };
  }

  async #openOn(disk: ChosenDisk, all: SessionInputs, began: number, attempt: Attempt): Promise<Opening> {
    const plan = await planOpening(this.#deps, this.#target, disk, all);
    const lowered = this.#loweredLimits(all);
    const made = await attempt(() => this.#failures.unlessUnmade(plan.origin, () => this.#make(plan)));
    if (made === null) return await this.open(all, false);
    const { sandbox, restored } = made;
    if (disk.save !== null && restored === null) return await this.open(all);
    const seconds = Math.round(performance.now() - began) / 1000;
    const waited = this.#target.wait.reportedSeconds;
    await reportStarted(this.#target, sandbox, {
      seconds,
      ...(waited !== null && { waited_seconds: waited }),
      ...(lowered !== null && { lowered_limits: lowered }),
      ...(restored !== null && { restored }),
    });
    countOpened(this.#deps, this.#target, sandbox, {
      kind: kindOf(disk, sandbox),
      seconds,
      diskPath: disk.path,
    });
    return await this.#opening(plan, made);
  }

  async #make({ session, disk, spec, mounted, git, origin }: OpeningPlan): Promise<Made> {
    return await withLocalFiles(this.#deps.blobs, mounted, async (files) => {
      const whole = { ...spec, files };
      const { sandbox, system } = await openInEnvironment(this.#deps, this.#target, session, disk, {
        ...whole,
        git,
      });
      await origin?.restore(sandbox);
      const { save } = disk;
      const restored = save && (await restoreDisk(this.#deps, this.#target, save, sandbox, whole));
      return { sandbox, system, restored };
    });
  }

  async #opening(plan: OpeningPlan, { sandbox, system, restored }: Made): Promise<Opening> {
    const { session, disk, spec, removals } = plan;
    if (!disk.isNew || restored !== null) this.#target.notes.push(...(await endedProcessesNote(sandbox)));
    const now = restored === null ? plan.resources : await readResources(this.#deps.db.write, session.id);
    const provisioner = this.#provisionerOf({ system, writable: spec.writable }, sandbox, plan);
    return { opened: { sandbox, provisioner }, toPlace: { resources: now.filter(isPending), removals } };
  }

  /** Returns the limits that the ceilings lower, or null when the session has those of its environment. */
  #loweredLimits({ session }: SessionInputs): ReturnType<typeof loweredLimits> | null {
    const lowered = loweredLimits(session, this.#deps.ceilings);
    if (Object.keys(lowered).length === 0) return null;
    const msg = "a session's environment requests more than the ceilings, so the session gets the ceilings";
    this.#deps.log.warn({ lowered }, msg);
    return lowered;
  }

  #provisionerOf(
    setup: Pick<SetupInputs, "system" | "writable">,
    sandbox: Sandbox,
    { mounted, refs, origin }: Pick<OpeningPlan, "mounted" | "refs" | "origin"> = {
      mounted: [],
      refs: new PrefetchedRefs(),
      origin: null,
    },
  ): Provisioner {
    const { log, mask } = this.#deps;
    const onEgressDenied = createEgressReport(this.#target.runLog, log, mask);
    const ofDisk = {
      restored: origin?.restored ?? new Map(),
      takeSnapshot: origin?.taking(sandbox) ?? null,
    };
    const target = { ...this.#target, ...setup, ...ofDisk, onEgressDenied, sandbox, mounted, refs };
    return new Provisioner(this.#deps, target);
  }
}

function kindOf({ isNew, fromPool }: ChosenDisk, { wasThere }: Sandbox): SandboxKind {
  if (!isNew) return "resumed";
  return fromPool && wasThere === true ? "warm" : "new";
}
