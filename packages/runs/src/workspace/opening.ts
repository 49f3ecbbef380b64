import type { RuntimeStore, Sandbox, SandboxEngine } from "@berth/sandbox";
import type { Database } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { Logger } from "pino";
import type { SessionCredentials } from "../credentials/session-credentials.ts";
import type { WarmPool } from "../disks/pool/warm-pool.ts";
import type { DiskDirectory, SessionDisk } from "../disks/session-disk.ts";
import type { SaveSourceDeps } from "../disks/source/save-source.ts";
import type { VolumeSnapshots } from "../disks/volume-snapshots/volume-snapshots.ts";
import type { ProviderHosts } from "../egress/provider-hosts.ts";
import type { Removal } from "../inputs/removal-store.ts";
import type { RunResource } from "../inputs/resource-store.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import type { RunLog } from "../lease/run-log.ts";
import type { SessionMemory } from "../memory/session-memory.ts";
import type { Activity } from "../repositories/activity.ts";
import type { RepositorySnapshots } from "../repositories/snapshots/repository-snapshots.ts";
import type { SkillDirectories } from "../skills/skill-directories.ts";
import type { PinnedSkill } from "../skills/skill-store.ts";
import type { ChoiceDeps } from "../system/runtime-choice.ts";
import type { SystemDeps } from "../system/session-system.ts";
import type { TunnelDeps } from "../tunnels/session-tunnel.ts";
import type { UsageMeter } from "../usage/usage-meter.ts";
import type { GitDeps } from "./git-settings.ts";
import type { PlaceWait } from "./place-wait.ts";
import type { ProvisionDeps, Provisioner } from "./provisioner.ts";
import type { SpecDeps } from "./sandbox-spec.ts";

/** The collaborators of a process with which sandboxes are opened. */
export interface OpenDeps extends ProvisionDeps {
  db: Database;
  engine: SandboxEngine;
  credentials: Pick<
    SessionCredentials,
    "egressSource" | "repositoryInside" | "services" | "unsealedRepository" | "withToken"
  >;
  accounts: GitDeps["accounts"];
  snapshots: RepositorySnapshots;
  /** Snapshots of volumes; null or absent where disks are not made from snapshots. */
  volumeSnapshots?: VolumeSnapshots | null;
  disks: DiskDirectory;
  /** Berth's own systems; null where sandboxes have the system that the engine gives them. */
  systems: SystemDeps | null;
  /** The runtimes of this machine; null where sandboxes cannot have them. */
  runtimes: RuntimeStore | null;
  runtimeVersions: ChoiceDeps["runtimeVersions"];
  mask(text: string): string;
  skills: SkillDirectories;
  /** Tunnels for sandboxes on other hosts. Absent: these reach nothing. */
  tunnels?: TunnelDeps;
  providers: readonly ProviderHosts[];
  ceilings: SpecDeps["ceilings"];
  log: Logger;
  usage: Pick<UsageMeter, "opened">;
  /** The pool. Absent: every sandbox is made for its session. */
  pool?: Pick<WarmPool, "wish">;
  metrics: { sandboxOpened(kind: SandboxKind, seconds: number): void } & SaveSourceDeps["metrics"];
}

/** The session whose sandbox is opened. */
export interface OpenTarget {
  lease: Lease;
  /** The session, whose fields change with the environment. */
  session: RunSession;
  runLog: RunLog;
  disk: SessionDisk;
  memory: SessionMemory;
  skills(): Promise<PinnedSkill[]>;
  /** Collects notes for the model. */
  notes: string[];
  /** Aborts when no sandbox is needed. */
  readonly signal: AbortSignal;
  wait: PlaceWait;
  activity: Activity;
  /** Called when a file waits for a mount point that only a fresh sandbox has. */
  onNeedsReopen(): void;
}

/** `new`: on a new disk. `warm`: on one whose sandbox was in the pool. `resumed`: on the existing one. */
export type SandboxKind = "new" | "warm" | "resumed";

export interface OpenedSandbox {
  sandbox: Sandbox;
  provisioner: Provisioner;
}

/** The work of the provisioner of a sandbox that was just opened. */
export interface ToPlace {
  resources: readonly RunResource[];
  removals: readonly Removal[];
}
