import type {
  CredentialSource,
  EgressDenied,
  EgressPolicy,
  SandboxService,
  SidecarSettings,
} from "@berth/egress";

/** The description of a sandbox to open. */
export interface SandboxSpec {
  /** Opaque id, unique among open sandboxes, `[a-z0-9_]{1,64}`. Visible in the sandbox. */
  id: string;
  /**
   * Host directory that outlives the sandbox and contains the agent's `/data`, `/home/agent`, `/tmp` and
   * other writable directories. For an engine with `disks`, a disk's name. Created when missing.
   */
  disk: string;
  /**
   * Id of a snapshot (`Disks.snapshots`) from which the disk is made and whose files then belong to the
   * agent. Set it only when the disk does not exist. `open` rejects when the disk cannot be made from it, and
   * may leave the disk. Default: the disk is empty.
   */
  diskSource?: string;
  /**
   * Whether the disk was just taken from the pool and is empty. `open` then rejects when the waiting sandbox
   * does not respond soon, because another disk is faster. Default: it may wait until the earlier sandbox is
   * known to have ended.
   */
  fromPool?: boolean;
  /**
   * The disk need not outlive the sandbox. An engine with `disks` then creates none, and enforces no disk
   * limit.
   */
  temporaryDisk?: true;
  /**
   * Epoch of the session's lease. When several processes open sandboxes on one disk, the one with the higher
   * epoch ends the other's sandbox. Absent when no other process opens sandboxes on the disk.
   */
  epoch?: number;
  /** Host uid and gid that own the disk and run the commands when the engine is root; ignored otherwise. */
  uid: number;
  /**
   * The `/usr`, `/etc`, `/opt` and `/var` of the sandbox. Default: the engine's. `open` rejects when it
   * cannot be mounted.
   */
  system?: SystemLayers;
  limits: Limits;
  /**
   * Image to run; absent or null for the engine's default. `open` rejects with `ImageError` when the engine
   * runs no images or lacks this one.
   */
  image?: string | null;
  /**
   * Runtime class of the pod, on Kubernetes; absent or null for the engine's default. `open` rejects with
   * `RuntimeClassError` when sandboxes are not pods, or when the engine does not allow the class or the
   * cluster lacks it.
   */
  runtimeClass?: string | null;
  egress: EgressPolicy;
  /** Files to mount read-only at start. */
  files: MountedFile[];
  /**
   * Host directories to mount read-only at start, with their files' modes. Changes on the host are visible in
   * the sandbox at once, or after `Sandbox.refreshDirectory` where that exists. Default: none.
   */
  directories?: readonly MountedDirectory[];
  /**
   * Snapshots that were mounted on this disk before, to mount again with their changes. `open` rejects when
   * one cannot be mounted. Default: none.
   */
  snapshots?: readonly MountedSnapshot[];
  /**
   * Absolute directories on the disk, besides `/data`, that the agent may write, such as the parent of a
   * repository that is mounted elsewhere (`/workspace`). Created when missing.
   */
  writable: string[];
  /** Secrets that stay outside the sandbox and are injected into requests to their hosts. Default: none. */
  credentials?: CredentialSource;
  /** Hosts that Berth answers for this sandbox itself. Default: none. */
  services?: readonly SandboxService[];
  /**
   * Opens the tunnel to the egress gateway, which also injects the credentials; for sandboxes on other hosts.
   * Called once per sandbox. Without it such a sandbox reaches nothing; engines on this host ignore it.
   */
  openTunnel?: (policy: EgressPolicy) => Promise<EgressTunnel>;
  /**
   * Called repeatedly while there is no room for the sandbox, to release sandboxes that are needed less.
   * Never rejects. Without it and without `onWaiting`, `open` rejects with `NoRoomError` as soon as it knows
   * that there is no room.
   */
  makeRoom?: () => Promise<void>;
  /**
   * Called when the sandbox waits unusually long for a host or an image, again whenever the reason changes,
   * and with null when the wait is over. Without it, `open` waits for a host at most 90 seconds.
   */
  onWaiting?: (wait: SandboxWait | null) => void;
  /** Aborts when the sandbox is not needed any longer; `open` then rejects instead of waiting. */
  signal?: AbortSignal;
  /** Settings for git's system configuration, besides Berth's own. Default: none. */
  git?: GitSettings;
  /** Called for each denied connection or name, at most once a second for each distinct host. */
  onEgressDenied?: (denied: EgressDenied) => void;
}

/** The reason why a sandbox has not started yet. */
export interface SandboxWait {
  /**
   * `place` while no host has accepted the sandbox; `image` while its host prepares the image or the disk.
   */
  for: "place" | "image";
  /** The reason in the words of the host or the scheduler: one line without paths of this machine. */
  reason: string;
  /** Whether other sandboxes occupy the room, so that it may become free. */
  othersRun: boolean;
}

/** The connection of one sandbox's sidecar to the egress gateway. */
export interface EgressTunnel {
  /** Epoch of the lease. A new sidecar ends those with a lower epoch in the same container. */
  epoch: number;
  /** Passed only to the sidecar's standard input, since it contains the token. */
  settings: SidecarSettings;
  /**
   * Changes what the sandbox may reach.
   *
   * @returns the gateway's revision of the policy; null when the tunnel is no longer valid.
   */
  setPolicy(policy: EgressPolicy): Promise<number | null>;
  close(): Promise<void>;
}

/** A name and an e-mail address, without line breaks or control characters. */
export interface GitPerson {
  name: string;
  email: string;
}

export interface GitSettings {
  /** Author and committer of commits, unless a command or a repository sets another. */
  identity: GitPerson;
  /** Author of commits in the place of `identity`, which stays the committer; null for none. */
  author: GitPerson | null;
  /** Persons whom `git commit` adds as co-authors. */
  coAuthors: readonly GitPerson[];
  /**
   * Public key, as a line of `authorized_keys`, with which `SIGNING_HOST` signs commits, and tags of
   * `git tag -s`; null if nothing is signed.
   */
  signingKey: string | null;
  /**
   * Hosts, with the port unless it is 443, whose ssh URLs git rewrites to https, since sandboxes have no ssh
   * access.
   */
  httpsHosts: readonly string[];
}

/** A root system for sandboxes: host directories that are mounted as an overlay and never change. */
export interface SystemLayers {
  /** The lowest directory, a complete system that `buildRootFilesystem` makes. */
  rootFilesystem: string;
  /**
   * The changes of each layer, from the lowest to the highest; `SandboxEngine.takeChanges` makes them.
   * Default: none.
   */
  layers?: readonly string[];
  /**
   * Set when commands may change the system. The changes are stored on the disk, within its limit, and can
   * become a layer once the sandbox is closed. Commands run as root over the system and nothing else, and
   * `spec.uid` must be `SYSTEM_IDS.first`.
   */
  changes?: true;
  /**
   * Set with `changes` when only the distribution's own package scripts run. They may lock open file
   * descriptions, which nothing can limit: the scripts of systemd, on which many packages depend, have to.
   */
  packages?: true;
}

/**
 * Host ids that own root filesystems and layers: root and the other users of the user namespace in which
 * systems are changed. They are reserved: the uids of sessions' disks are lower.
 */
export const SYSTEM_IDS = { first: 400_000, count: 65_536 } as const;

/** A host file that the sandbox sees read-only. */
export interface MountedFile {
  /** Absolute path on the host, readable by the server but not by the agent. */
  source: string;
  /** Absolute path in the sandbox. */
  target: string;
}

/** A host directory that the sandbox sees read-only. */
export interface MountedDirectory {
  /** Absolute path on the host, with files that everybody may read. */
  source: string;
  /** Absolute path in the sandbox, not below a directory that the agent can write. */
  target: string;
}

/** A host directory that many sandboxes mount at once, each with its own changes. */
export interface MountedSnapshot extends SnapshotLayers {
  /** Absolute path in the sandbox, on the disk. Created when missing; otherwise it must be empty. */
  target: string;
  /** Further snapshots below it, from the highest to the lowest. Default: none. */
  below?: readonly SnapshotLayers[];
}

/** A snapshot on the host, with the layers over it. */
export interface SnapshotLayers {
  /** Absolute path on the host. Its contents must not change as long as a disk has changes over it. */
  source: string;
  /**
   * Identifies the snapshot independently of its directory. Default: the source. A disk mounts its changes
   * only over the snapshots of the same names.
   */
  name?: string;
  /**
   * Layers over it, from the lowest to the highest; `SandboxEngine.takeSnapshotChanges` makes them. Default:
   * none.
   */
  layers?: readonly string[];
  /** Host uid that owns all files of the snapshot and its layers; the agent sees them as its own. */
  uid: number;
}

/** Hard limits of one sandbox. `probe` reports the ones that the machine cannot enforce. */
export interface Limits {
  memoryBytes: number;
  pids: number;
  /** CPU cores; fractions are allowed. */
  cpus: number;
  /**
   * Maximum bytes of all files on the disk, which also allows one file for every 4 KiB. Null for the engine's
   * own limit, if any. A disk with a limit grows when a larger one is given; a smaller one, or null, changes
   * nothing. A disk that was created without a limit never gets one.
   */
  diskBytes: number | null;
}
