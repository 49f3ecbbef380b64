import { LeaseLost } from "@berth/agent";
import type { EventOf } from "@berth/contract";
import {
  DiskLimitError,
  type GitSettings,
  ImageError,
  type RemoteRefs,
  RuntimeClassError,
  type Sandbox,
  type SandboxEngine,
  SandboxError,
  type SandboxSpec,
  type SystemLayers,
} from "@berth/sandbox";
import type { Logger } from "pino";
import type { Database } from "../../db/pool.ts";
import type { SessionCredentials } from "../credentials/session-credentials.ts";
import type { WarmWish } from "../disks/disk-store.ts";
import type { ClaimedDisk, Disk, DiskDirectory, SessionDisk } from "../disks/session-disk.ts";
import { createEgressReport } from "../egress/egress-report.ts";
import type { ProviderHosts } from "../egress/provider-hosts.ts";
import type { Removal } from "../inputs/removal-store.ts";
import {
  isPending,
  isRepository,
  onNewDisk,
  type RunRepository,
  type RunResource,
  readResources,
} from "../inputs/resource-store.ts";
import type { RunSession, SessionInputs } from "../inputs/session-inputs-store.ts";
import type { Lease } from "../lease/lease.ts";
import type { RunLog } from "../lease/run-log.ts";
import type { SessionMemory } from "../memory/session-memory.ts";
import type { Activity } from "../resources/activity.ts";
import { Provisioner, type ProvisionParts } from "../resources/provisioner.ts";
import type { SetupInputs } from "../resources/setup-request.ts";
import { beginRestore, type Save } from "../saves/save-store.ts";
import type { SkillDirectories } from "../skills/skill-directories.ts";
import type { PinnedSkill } from "../skills/skill-store.ts";
import { PrefetchedRefs } from "../snapshots/prefetched-refs.ts";
import type { RepositorySnapshots } from "../snapshots/repository-snapshots.ts";
import { openOnSystem } from "../system/disk-system.ts";
import { EnvironmentProgress } from "../system/environment-progress.ts";
import { addsSomething, type SystemParts, sessionSystem } from "../system/session-system.ts";
import { sessionTunnel, type TunnelParts } from "../tunnels/session-tunnel.ts";
import type { UsageMeter } from "../usage/usage-meter.ts";
import type { VolumeSnapshots } from "../volume-snapshots/volume-snapshots.ts";
import type { WarmPool } from "../warm/warm-pool.ts";
import { DiskOrigin } from "./disk-origin.ts";
import { type GitParts, gitSettings } from "./git-settings.ts";
import { type Restored, type RestoreParts, restoreDisk } from "./restore-disk.ts";
import {
  loweredLimits,
  type MountedContent,
  mountedContents,
  type SpecParts,
  sandboxSpec,
} from "./sandbox-spec.ts";
import { endedProcessesNote } from "./untold-notes.ts";
import { withLocalFiles } from "./with-local-files.ts";

export interface OpenParts extends ProvisionParts {
  db: Database;
  engine: SandboxEngine;
  credentials: Pick<SessionCredentials, "egressSource" | "repositoryInside" | "unsealedRepository">;
  accounts: GitParts["accounts"];
  snapshots: RepositorySnapshots;
  /** Null or absent: disks are not made of snapshots. */
  volumeSnapshots?: VolumeSnapshots | null;
  disks: DiskDirectory;
  /** Systems of Berth's own; null where sandboxes have what the engine gives them. */
  systems: SystemParts | null;
  mask(text: string): string;
  skills: SkillDirectories;
  /** For sandboxes on other hosts. Absent: these reach nothing. */
  tunnels?: TunnelParts;
  providers: readonly ProviderHosts[];
  ceilings: SpecParts["ceilings"];
  log: Logger;
  usage: Pick<UsageMeter, "opened">;
  /** Absent: every sandbox is made for its session. */
  pool?: Pick<WarmPool, "wish">;
  metrics: { sandboxOpened(kind: SandboxKind, seconds: number): void } & RestoreParts["metrics"];
}

/** The session whose sandbox it is. */
export interface OpenTarget {
  lease: Lease;
  /** Changes with the environment. */
  session: RunSession;
  runLog: RunLog;
  disk: SessionDisk;
  memory: SessionMemory;
  skills(): Promise<PinnedSkill[]>;
  /** Takes what the model is to be told. */
  notes: string[];
  /** Aborts when no sandbox is needed any more. */
  signal: AbortSignal;
  activity: Activity;
  /** Called when a file waits for a mount point that only a fresh sandbox has. */
  onNeedsReopen(): void;
}

/** Of a sandbox: on a new disk, on one whose sandbox was in the pool, or on the one that its session has. */
export type SandboxKind = "new" | "warm" | "resumed";

export interface OpenedSandbox {
  sandbox: Sandbox;
  provisioner: Provisioner;
}

/** What the provisioner of a sandbox that was just opened has to do. */
export interface ToPlace {
  resources: readonly RunResource[];
  removals: readonly Removal[];
}

/** Opens sandboxes on a session's disk. A failure is reported in the session's log. */
export class SandboxOpener {
  readonly #parts: OpenParts;
  readonly #target: OpenTarget;

  constructor(parts: OpenParts, target: OpenTarget) {
    this.#parts = parts;
    this.#target = target;
  }

  /**
   * Opens a sandbox on the session's disk, or on a new one.
   *
   * @param mayBeMade of a snapshot of a volume. Default: a new disk is, where there is one.
   */
  async open(all: SessionInputs, mayBeMade = true): Promise<{ opened: OpenedSandbox; toPlace: ToPlace }> {
    const began = performance.now();
    const claimed = { ...(await this.#claimDisk(all, mayBeMade)), mayBeMade };
    const reported: Attempt = (open) => this.#orReport(open);
    if (!claimed.isOfPool) return await this.#openOn(claimed, all, began, reported);
    try {
      return await this.#openOn(claimed, all, began, (open) => this.#orUnfit(open));
    } catch (error) {
      if (!(error instanceof UnfitDisk)) throw error;
      this.#parts.log.warn({ err: error.cause, disk: claimed.path }, "a disk of the pool does not serve");
      const disk = await this.#target.disk.replace();
      return await this.#openOn({ ...disk, save: null, mayBeMade: false }, all, began, reported);
    }
  }

  async #openOn(
    { isNew, save, isOfPool, mayBeMade, ...disk }: ClaimedDisk & { save: Save | null; mayBeMade: boolean },
    all: SessionInputs,
    began: number,
    attempt: Attempt,
  ): Promise<{ opened: OpenedSandbox; toPlace: ToPlace }> {
    const { session, ...inputs } = all;
    const { runLog } = this.#target;
    const resources = isNew ? inputs.resources.map(onNewDisk) : inputs.resources;
    const refs = this.#prefetchRefs(
      session,
      resources.filter(({ id }) => !save?.inPlace.includes(id)),
    );
    const git = gitSettings(this.#parts, session, resources);
    const plain = sandboxSpec(this.#parts, session, { ...disk, ...this.#target.lease }, resources);
    const origin = await this.#originOf(
      isNew && save === null ? resources : [],
      plain,
      mayBeMade && !isOfPool,
    );
    const spec = origin?.source ? { ...plain, diskSource: origin.source.id } : plain;
    const mounted = mountedContents(resources, inputs.removals);
    const lowered = loweredLimits(session, this.#parts.ceilings);
    this.#logLoweredLimits(lowered);
    const open = () =>
      withLocalFiles(this.#parts.blobs, mounted, async (files) => {
        const opened = await this.#openOnSystem(session, disk, { ...spec, files }, git);
        await origin?.restore(opened.sandbox);
        return {
          ...opened,
          restored: save && (await this.#restore(save, opened.sandbox, { ...spec, files })),
        };
      });
    const done = await attempt(() => this.#unlessUnmade(origin, open));
    if (done === null) return await this.open(all, false);
    const { sandbox, system, restored } = done;
    if (save !== null && restored === null) return await this.open(all);
    const seconds = Math.round(performance.now() - began) / 1000;
    const isLowered = Object.keys(lowered).length > 0;
    await reportStarted(runLog, sandbox, {
      seconds,
      ...(isLowered && { lowered_limits: lowered }),
      ...(restored !== null && { restored }),
    });
    const newKind = isOfPool && sandbox.wasThere === true ? "warm" : "new";
    this.#tellOpened(sandbox, disk.path, isNew ? newKind : "resumed", seconds);
    if (!isNew || restored !== null) this.#target.notes.push(...(await endedProcessesNote(sandbox)));
    const now = restored === null ? resources : await readResources(this.#parts.db.write, session.id);
    const opened = {
      sandbox,
      provisioner: this.#provisionerOf({ system, writable: spec.writable }, sandbox, mounted, refs, origin),
    };
    return { opened, toPlace: { resources: now.filter(isPending), removals: inputs.removals } };
  }

  async #originOf(resources: readonly RunResource[], spec: SandboxSpec, mayBeMade: boolean) {
    const { lease, session } = this.#target;
    return await DiskOrigin.find(this.#parts, { lease, session, resources, spec }, mayBeMade);
  }

  /** Null: the disk could not be made of its source, and is gone. */
  async #unlessUnmade<T>(origin: DiskOrigin | null, open: () => Promise<T>): Promise<T | null> {
    const { disk, signal } = this.#target;
    try {
      return await open();
    } catch (error) {
      if (!origin?.source || signal.aborted || error instanceof LeaseLost || isForUsers(error)) throw error;
      await origin.giveUp(error);
      await disk.discard();
      return null;
    }
  }

  #restore(save: Save, sandbox: Sandbox, spec: SandboxSpec): Promise<Restored | null> {
    return restoreDisk(this.#parts, this.#target, save, sandbox, spec);
  }

  /** Opens a sandbox with what is on the disk and nothing else, and without network: for a last look at the disk. */
  async openBare({ session, resources }: SessionInputs): Promise<OpenedSandbox> {
    const disk = await this.#claimDisk();
    const stores = resources
      .map((resource) => (disk.isNew ? onNewDisk(resource) : resource))
      .filter(({ type }) => type === "memory_store");
    const spec = sandboxSpec(this.#parts, session, { ...disk, ...this.#target.lease }, stores);
    const sandbox = await this.#orReport(() =>
      this.#parts.engine.open({ ...spec, egress: { mode: "limited", hosts: [] } }),
    );
    if (stores.every(({ ready }) => ready)) await this.#target.memory.catchUp(async () => sandbox);
    return {
      sandbox,
      provisioner: this.#provisionerOf({ system: null, writable: spec.writable }, sandbox, []),
    };
  }

  #tellOpened(sandbox: Sandbox, diskPath: string, kind: SandboxKind, seconds: number): void {
    const { log, metrics, usage } = this.#parts;
    metrics.sandboxOpened(kind, seconds);
    log.info({ kind, milliseconds: Math.round(seconds * 1_000) }, "sandbox opened");
    const { id: sessionId, organizationId, ownerId } = this.#target.session;
    const countClosed = usage.opened({ sessionId, organizationId, ownerId, diskPath });
    void sandbox.closed.then(() => {
      countClosed();
      log.info("sandbox closed");
    });
  }

  #logLoweredLimits(lowered: ReturnType<typeof loweredLimits>): void {
    if (Object.keys(lowered).length === 0) return;
    const msg =
      "the environment of a session asks for more than the ceilings, so the session has the ceilings";
    this.#parts.log.warn({ lowered }, msg);
  }

  /**
   * `save`: what a new disk is to be made from; null: nothing. A new disk that is made from nothing may be one of the pool.
   *
   * @param inputs of the sandbox. Default: it takes none of the pool.
   * @param mayBeMade of a snapshot of a volume, which goes before one of the pool where it saves more.
   */
  async #claimDisk(inputs?: SessionInputs, mayBeMade = false): Promise<ClaimedDisk & { save: Save | null }> {
    const { disk, runLog, lease } = this.#target;
    let save: Save | null = null;
    const claimed = await disk.claim(
      () => runLog.appendReclaimed("lost"),
      async () => {
        save = await beginRestore(this.#parts.db.write, lease);
      },
      async () => (save === null && inputs !== undefined ? await this.#wish(inputs, mayBeMade) : null),
    );
    return { ...claimed, save };
  }

  async #wish({ session, ...inputs }: SessionInputs, mayBeMade: boolean): Promise<WarmWish | null> {
    const { pool, tunnels } = this.#parts;
    if (pool === undefined) return null;
    const resources = inputs.resources.map(onNewDisk);
    const spec = sandboxSpec(this.#parts, session, NO_DISK, resources);
    const files = mountedContents(resources, inputs.removals);
    const wish = pool.wish({ ...spec, files, hasTunnel: tunnels !== undefined });
    if (wish === null || !mayBeMade) return wish;
    const target = { lease: this.#target.lease, session, resources, spec };
    return (await DiskOrigin.savesMuch(this.#parts, target)) ? null : wish;
  }

  /** Asks the hosts of the repositories for their refs while the sandbox is being opened. */
  #prefetchRefs({ id, organizationId }: RunSession, resources: readonly RunResource[]): PrefetchedRefs {
    const { credentials, snapshots } = this.#parts;
    const session = { sessionId: id, organizationId };
    const refsOf = async (one: RunRepository): Promise<RemoteRefs | null> => {
      try {
        return await snapshots.remoteRefs(session, credentials.unsealedRepository(one));
      } catch {
        // What is wrong with the repository is reported when it is put in place.
        return null;
      }
    };
    const prefetched = new PrefetchedRefs();
    for (const one of resources.filter(isRepository).filter(isPending)) prefetched.add(one.id, refsOf(one));
    return prefetched;
  }

  async #openOnSystem(
    session: RunSession,
    disk: Disk,
    plain: SandboxSpec,
    git: Promise<GitSettings>,
  ): Promise<{ sandbox: Sandbox; system: SystemLayers | null }> {
    const { engine, log, mask, skills, systems } = this.#parts;
    const { runLog, memory, signal, activity } = this.#target;
    const onEgressDenied = createEgressReport(runLog, log, mask);
    const progress = new EnvironmentProgress(runLog, signal);
    const request = { session, disk, signal, onEgressDenied, progress };
    const choose = () => sessionSystem(systems, request).finally(() => progress.end());
    // The builds of layers have limits of their own.
    const own = await (addsSomething(session) ? activity.pause(choose) : choose());
    if (own.fault !== null) await this.#reportMissing(own.fault);
    const directories = [
      ...(await skills.mounts(await this.#target.skills())),
      ...(await memory.directories(disk.besides)),
    ];
    const spec = { ...plain, git: await git };
    const system = own.system === undefined ? {} : { system: own.system };
    const credentials = this.#parts.credentials.egressSource();
    const { tunnels } = this.#parts;
    const tunnel = tunnels === undefined ? {} : { openTunnel: sessionTunnel(tunnels, this.#target.lease) };
    const open = () =>
      engine.open({ ...spec, ...system, ...tunnel, directories, credentials, onEgressDenied });
    const sandbox = systems === null ? await open() : await openOnSystem(own, disk, open);
    return { sandbox, system: own.system ?? null };
  }

  /** Tells users and the model what of the environment is missing. */
  async #reportMissing(fault: string): Promise<void> {
    const message = this.#parts.mask(fault);
    const error = {
      type: "environment_error" as const,
      message,
      retry_status: { type: "exhausted" as const },
    };
    await this.#target.runLog.append([{ event: { type: "session.error", error } }]);
    this.#target.notes.push(`[${message}]`);
  }

  /** @throws UnfitDisk in the place of what the engine says of the disk. */
  async #orUnfit<T>(open: () => Promise<T>): Promise<T> {
    try {
      return await open();
    } catch (error) {
      if (error instanceof SandboxError && !this.#target.signal.aborted) throw new UnfitDisk(error);
      return await this.#orReport<T>(() => Promise.reject(error));
    }
  }

  async #orReport<T>(open: () => Promise<T>): Promise<T> {
    const { runLog, signal } = this.#target;
    try {
      return await open();
    } catch (error) {
      if (signal.aborted) throw error;
      this.#parts.log.error({ err: error }, "a sandbox could not be opened");
      const message = isForUsers(error) ? error.message : "The session's sandbox could not be opened.";
      const retry_status = { type: "terminal" as const };
      await runLog.append([
        { event: { type: "session.error", error: { type: "sandbox_error", message, retry_status } } },
      ]);
      throw error;
    }
  }

  #provisionerOf(
    setup: Pick<SetupInputs, "system" | "writable">,
    sandbox: Sandbox,
    mounted: readonly MountedContent[],
    refs: PrefetchedRefs = new PrefetchedRefs(),
    origin: DiskOrigin | null = null,
  ): Provisioner {
    const { log, mask } = this.#parts;
    const onEgressDenied = createEgressReport(this.#target.runLog, log, mask);
    const ofDisk = {
      restored: origin?.restored ?? new Map(),
      takeSnapshot: origin?.taking(sandbox) ?? null,
    };
    const target = { ...this.#target, ...setup, ...ofDisk, onEgressDenied, sandbox, mounted, refs };
    return new Provisioner(this.#parts, target);
  }
}

/** Opens a sandbox; says what becomes of a failure. */
type Attempt = <T>(open: () => Promise<T>) => Promise<T>;

/** What of a spec depends on the disk, where there is none yet. */
const NO_DISK = { path: "", uid: 0, epoch: 0 };

/** No sandbox can be opened on a disk of the pool. */
class UnfitDisk extends Error {
  constructor(cause: SandboxError) {
    super("A disk of the pool does not serve.", { cause });
  }
}

/** Errors whose message is a sentence for users. */
const FOR_USERS = [DiskLimitError, ImageError, RuntimeClassError];

function isForUsers(error: unknown): error is Error {
  return FOR_USERS.some((kind) => error instanceof kind);
}

/** Closes the sandbox when its start cannot be appended: the lease is lost then. */
async function reportStarted(
  runLog: RunLog,
  sandbox: Sandbox,
  started: Pick<EventOf<"session.container_started">, "seconds" | "lowered_limits" | "restored">,
): Promise<void> {
  try {
    await runLog.append([{ event: { type: "session.container_started", ...started } }]);
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}
