import type { CredentialSource, EgressDenied, EgressPolicy } from "@berth/egress";

export interface SandboxSpec {
  /** Opaque and unique while open, `[a-z0-9_]{1,64}`; it may be seen inside. */
  id: string;
  /** Host directory, made by the engine when missing, that outlives the sandbox: the agent's `/data`, `/home/agent` and places of mounts. */
  disk: string;
  /** Host uid and gid that own the disk and run the commands when the engine is root; ignored otherwise. */
  uid: number;
  /** What it has as `/usr`, `/etc`, `/opt` and `/var`. Default: what the engine has for all. Rejects where it cannot be shown. */
  system?: SystemLayers;
  limits: Limits;
  /**
   * Image that the sandbox runs, on an engine of containers; its default when absent or null. Rejects with `ImageError` where the
   * engine runs none or has not this one.
   */
  image?: string | null;
  egress: EgressPolicy;
  /** Files to mount read-only at start. */
  files: MountedFile[];
  /**
   * Host directories to mount read-only at start, with the modes that their files have. What is changed in them on the
   * host is seen inside at once. Default none.
   */
  directories?: readonly MountedDirectory[];
  /** Snapshots that were mounted on this disk before, with what was changed in them since. Rejects where one cannot be. Default none. */
  snapshots?: readonly MountedSnapshot[];
  /**
   * Absolute directories besides `/data` that the agent may write and that live on the disk, such as the parent of
   * a repository mounted elsewhere (`/workspace`). Each is made when missing.
   */
  writable: string[];
  /** Secrets that stay outside, and are put in on the way to their hosts. Default none. */
  credentials?: CredentialSource;
  /** Told each refused connection or name, once per distinct host within a second. */
  onEgressDenied?: (denied: EgressDenied) => void;
}

/** A system for sandboxes, in host directories that are laid over one another and stay as they are. */
export interface SystemLayers {
  /** The lowest, which is whole: one that `buildTree` made. */
  tree: string;
  /** What is changed of those below, from the lowest to the highest: each was taken by `takeChanges`. Default none. */
  layers?: readonly string[];
  /**
   * What commands change of the system lies on the disk, within its limit, to be a layer itself once the sandbox is closed.
   * Commands run as root then, over the system and nothing else, and `spec.uid` is `SYSTEM_IDS.first`.
   */
  changes?: true;
}

/**
 * Host ids that own a system tree and its layers, as root and the other users of a user namespace see them. They are nobody
 * else's: the disks of sessions have uids below them.
 */
export const SYSTEM_IDS = { first: 400_000, count: 65_536 } as const;

export interface MountedFile {
  /** Absolute path on the host; readable by the server, not by the agent. */
  source: string;
  /** Absolute path inside. */
  target: string;
}

export interface MountedDirectory {
  /** Absolute path on the host. What lies there is readable by everybody. */
  source: string;
  /** Absolute path inside, in no place that the agent may write. */
  target: string;
}

/** A directory that many sandboxes show at once, each as its own. */
export interface MountedSnapshot {
  /** Absolute path on the host. Nothing in it changes as long as a disk has been mounted with it. */
  source: string;
  /** Tells it from every other, wherever the two lie then. Default its source: where that changes, a disk shows it no more. */
  name?: string;
  /** Host uid that owns all of it; the agent sees it as its own. */
  uid: number;
  /** Absolute path inside of the directory to show it at, in a place that lies on the disk. Made when missing; empty otherwise. */
  target: string;
}

/** Hard limits of one sandbox. Where the machine cannot enforce one, `probe` says so. */
export interface Limits {
  memoryBytes: number;
  pids: number;
  /** Cores, fractions allowed. */
  cpus: number;
  /**
   * What all files on the disk may take together, with one file for every 4 KiB; null for the engine's own limit, if it has one. It holds for a disk that
   * is made with one, and a greater one makes that disk larger when it is opened again; a smaller one, or null, leaves it
   * as it is, and so does any limit a disk that was made without.
   */
  diskBytes: number | null;
}
