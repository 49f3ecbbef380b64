import type { CredentialSource, EgressDenied, EgressPolicy, SidecarSettings } from "@berth/egress";

export interface SandboxSpec {
  /** Opaque, unique among open sandboxes, `[a-z0-9_]{1,64}`. Visible in the sandbox. */
  id: string;
  /**
   * Host directory that outlives the sandbox and holds the agent's `/data`, `/home/agent`, `/tmp` and other writable directories;
   * a name of one of its `disks` for an engine that has such. Created when missing.
   */
  disk: string;
  /**
   * The snapshot (`Disks.snapshots`) of which the disk is made, whose files then are the agent's; to be given when the disk does not exist yet.
   * Rejects when it cannot be made of that, and may leave it. Default: it is empty.
   */
  diskSource?: string;
  /**
   * The disk is one of the pool that was just taken, with nothing on it: where the sandbox there does not answer soon, `open` rejects, since another
   * disk is there sooner. Default: it may wait until the former sandbox is known to have ended.
   */
  isOfPool?: boolean;
  /** The disk need not outlive the sandbox. An engine with `disks` makes none then, and limits nothing. */
  temporaryDisk?: true;
  /**
   * Of the session's lease. Where several processes open sandboxes on one disk, the one with the higher epoch ends the sandbox of
   * the other. Absent: no other process opens sandboxes on the disk.
   */
  epoch?: number;
  /** Host uid and gid that own the disk and run the commands when the engine is root; ignored otherwise. */
  uid: number;
  /** The `/usr`, `/etc`, `/opt` and `/var` of the sandbox. Default: the engine's. Rejects where it cannot be mounted. */
  system?: SystemLayers;
  limits: Limits;
  /**
   * Image to run, on a container engine; its default when absent or null. Rejects with `ImageError` where the engine runs no
   * images or lacks this one.
   */
  image?: string | null;
  /**
   * Runtime class of the pod, on an engine of pods; its default when absent or null. Rejects with `RuntimeClassError` where sandboxes
   * are no pods, and where the engine does not allow this one or its cluster lacks it.
   */
  runtimeClass?: string | null;
  egress: EgressPolicy;
  /** Files to mount read-only at start. */
  files: MountedFile[];
  /**
   * Host directories to mount read-only at start, with the modes that their files have. Changes on the host are visible in the
   * sandbox at once, or after `Sandbox.refreshDirectory` where it has that. Default none.
   */
  directories?: readonly MountedDirectory[];
  /** Snapshots that were mounted on this disk before, to mount again with their changes. Rejects where one cannot be. Default none. */
  snapshots?: readonly MountedSnapshot[];
  /**
   * Absolute directories besides `/data` that the agent may write and that are on the disk, such as the parent of a repository
   * that is mounted elsewhere (`/workspace`). Created when missing.
   */
  writable: string[];
  /** Secrets that stay outside of the sandbox and are injected into requests to their hosts. Default none. */
  credentials?: CredentialSource;
  /**
   * Opens the tunnel to the egress gateway, where sandboxes are on other hosts. It carries the credentials' part, too. Called once for
   * the sandbox. Without it such a sandbox reaches nothing; engines on this host ignore it.
   */
  openTunnel?: (policy: EgressPolicy) => Promise<EgressTunnel>;
  /**
   * Called again and again while there is no room for it, so that what is needed less gives its place. Never rejects. Without it and without
   * `onWaiting`, `open` rejects with `NoRoomError` at once where it need not wait to know that.
   */
  makeRoom?: () => Promise<void>;
  /**
   * Called when the sandbox waits longer than usual for its place or its image, each time that the reason changes, and with null when it goes on.
   * Who is told so is patient: without it, `open` waits for a place no longer than a minute and a half.
   */
  onWaiting?: (wait: SandboxWait | null) => void;
  /** Aborts when nobody needs the sandbox any more: `open` rejects then instead of waiting. */
  signal?: AbortSignal;
  /** What git's system configuration says besides Berth's own settings. Default: nothing. */
  git?: GitSettings;
  /** Called for each denied connection or name, once per distinct host within a second. */
  onEgressDenied?: (denied: EgressDenied) => void;
}

/** What a sandbox waits for before it can start. */
export interface SandboxWait {
  /** `place`: a host that takes it. `image`: its image or its disk, on the host that it has. */
  for: "place" | "image";
  /** In the words of the host or the scheduler: one line without paths of this machine. */
  reason: string;
  /** Other sandboxes have the place, so that it may become free. */
  othersRun: boolean;
}

/** What the sidecar of one sandbox connects to the egress gateway with. */
export interface EgressTunnel {
  /** Of the lease: sidecars with a lower one end. */
  epoch: number;
  /** For the standard input of the sidecar alone, since it has the token. */
  settings: SidecarSettings;
  /** Changes what the sandbox may reach. @returns the revision with which the gateway has it; null when the tunnel is not valid any more. */
  setPolicy(policy: EgressPolicy): Promise<number | null>;
  close(): Promise<void>;
}

/** A name and an e-mail address without line breaks and control characters. */
export interface GitPerson {
  name: string;
  email: string;
}

export interface GitSettings {
  /** Author and committer of commits, unless a command or a repository says otherwise. Null: Berth's own. */
  identity: GitPerson | null;
  /** Whom `git commit` names as a co-author. */
  coAuthor: GitPerson | null;
  /** Hosts, with their port unless it is 443, at which URLs for ssh mean https, since sandboxes reach nothing by ssh. */
  httpsHosts: readonly string[];
}

/** A system for sandboxes: host directories that are mounted as an overlay and never change. */
export interface SystemLayers {
  /** The lowest directory, which is complete: `buildRootFilesystem` makes it. */
  rootFilesystem: string;
  /** The changes of each layer, from the lowest to the highest; `SandboxEngine.takeChanges` makes them. Default none. */
  layers?: readonly string[];
  /**
   * Commands may change the system. What they change is on the disk, within its limit, to become a layer itself once the
   * sandbox is closed. Commands run as root over the system and nothing else, and `spec.uid` is `SYSTEM_IDS.first`.
   */
  changes?: true;
}

/**
 * Host ids that own root filesystems and layers: those of root and the other users of the user namespace in which systems are
 * changed. Nothing else uses them: the uids of sessions' disks are lower.
 */
export const SYSTEM_IDS = { first: 400_000, count: 65_536 } as const;

export interface MountedFile {
  /** Absolute path on the host; readable by the server, not by the agent. */
  source: string;
  /** Absolute path in the sandbox. */
  target: string;
}

export interface MountedDirectory {
  /** Absolute path on the host. Its files are readable by everybody. */
  source: string;
  /** Absolute path in the sandbox, not below a directory that the agent may write. */
  target: string;
}

/** A host directory that many sandboxes mount at once, each with changes of its own. */
export interface MountedSnapshot {
  /** Absolute path on the host. Nothing in it changes as long as a disk has changes over it. */
  source: string;
  /**
   * Identifies the snapshot, wherever its directory is. Default: the source. A disk mounts its changes only over the snapshot
   * of the same name.
   */
  name?: string;
  /** Changes over it, from the lowest to the highest; `SandboxEngine.takeSnapshotChanges` makes them. Default none. */
  layers?: readonly string[];
  /** Host uid that owns all its files, and those of its layers; the agent sees them as its own. */
  uid: number;
  /** Absolute path in the sandbox, on the disk. Created when missing; else it must be empty. */
  target: string;
}

/** Hard limits of one sandbox. `probe` reports which of them the machine cannot enforce. */
export interface Limits {
  memoryBytes: number;
  pids: number;
  /** Cores; fractions are allowed. */
  cpus: number;
  /**
   * What all files on the disk may take together, with one file for every 4 KiB. Null: the engine's own limit, if it has one.
   * A disk that was created with a limit grows when a larger one is given; a smaller one, or null, leaves it as it is. A disk
   * that was created without a limit never gets one.
   */
  diskBytes: number | null;
}
