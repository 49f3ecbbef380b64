import type { CredentialSource, EgressDenied, EgressPolicy } from "@berth/egress";

/**
 * The hands of a session: one interface, several engines.
 *
 * Life story. The runner asks an engine to `open` a sandbox for a session and gets a `Sandbox`. It then calls
 * `run` as often as it likes, also several at once; each `run` is one command with its own output stream.
 * Commands that name the same `shell` share a shell (working directory, variables) and run one after another.
 * `placeFile` and `removeFile` may be called at any time between. `close` ends everything: it kills every process by group
 * membership, waits for none of them, and leaves only the disk. It may be called twice, after a failed command,
 * and while commands run: those resolve with `ended: "closed"`. When the sandbox dies by itself, `closed`
 * resolves and every open and later `run` resolves with `ended: "closed"`; the caller opens another on the same disk.
 *
 * Nothing throws for what a command does: exit codes, timeouts, floods and kills are results. A rejection means
 * that the engine could not do its part (`SandboxError`).
 *
 * Trust: all inside is hostile, the supervisor included. It holds no secret but the variables of the commands
 * that run, and what it says is read as untrusted bytes.
 */
export interface SandboxEngine {
  readonly name: string;
  /** What this machine offers and lacks, one line each, for `berth doctor`. Never throws. */
  probe(): Promise<Capability[]>;
  /** Rejects with `SandboxError` when it cannot; nothing is left behind then. */
  open(spec: SandboxSpec): Promise<Sandbox>;
  /**
   * Removes what dead processes of the same `instance` left on this host, and closes the sandboxes of this process whose id
   * `mayLive` refuses. Safe while other sandboxes run, and when it is cut short. What cannot be removed keeps nothing else: it
   * rejects when all was tried, and the next sweep tries again.
   *
   * @returns ids of the sandboxes that it closed.
   */
  sweep(mayLive?: (id: string) => boolean): Promise<string[]>;
  /** Closes every open sandbox and releases pooled parts. */
  close(): Promise<void>;
}

export interface Sandbox {
  readonly id: string;
  run(command: Command): Promise<CommandResult>;
  /**
   * Puts a host file at an absolute path inside, read-only for the agent, also while commands run. The bytes are
   * placed from inside (no host path is resolved in a directory that the agent writes).
   * False: the path needs a mount that only a fresh `open` with the same file in `spec.files` makes.
   */
  placeFile(file: MountedFile): Promise<boolean>;
  /**
   * Takes away the file at an absolute path inside, which was in `spec.files` or placed, also while commands run. It is
   * removed from inside where the agent writes; a directory that stands there instead stays. True also when nothing is there.
   * False: it is mounted, and goes only with a fresh `open` without it; or the sandbox is gone. Rejects with
   * `SandboxError` when its directory does not let go of it.
   */
  removeFile(target: string): Promise<boolean>;
  /**
   * Shows a snapshot at its target, as the agent's own: the agent sees all of it and may change all of it, and what it changes
   * is kept on the disk alone. From the next `open` on it has to be among `spec.snapshots`.
   * False: this machine or engine cannot, or something stands at the target; nothing is changed then.
   */
  mountSnapshot(snapshot: MountedSnapshot): Promise<boolean>;
  /**
   * Takes away the snapshot that is shown at the target, with all that was changed in it, and the empty directory that is left.
   * False: none is shown there, or it could not be.
   */
  unmountSnapshot(target: string): Promise<boolean>;
  /** Changes which hosts can be reached, at once. */
  setEgress(policy: EgressPolicy): void;
  close(): Promise<void>;
  /** Resolves, never rejects, when the sandbox is gone for whatever reason. */
  readonly closed: Promise<void>;
}

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
   * Commands run as root then, over the system and nothing else, and `spec.uid` is `systemIds.first`.
   */
  changes?: true;
}

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

export interface Command {
  /** Shell text; `/bin/sh` unless `shell` is given. */
  script: string;
  /**
   * Name of a bash that lives between commands: working directory, variables and functions stay. `exit` in the
   * script ends it (the exit code is the result), a timeout or an abort kills it; the next command with the name
   * gets a new one in the last known working directory. Absent: a fresh shell for this command alone.
   */
  shell?: string;
  /** Default `/data`; with `shell`, only where a new shell starts. */
  cwd?: string;
  /**
   * Set for this command, and exported in a living shell before it runs, so that a rotated token is seen. What the
   * command before was given and this one is not is taken out of the shell.
   */
  environment?: Readonly<Record<string, string>>;
  /** Bytes on standard input; else it is `/dev/null`. */
  stdin?: Uint8Array;
  /** Milliseconds of wall clock; then everything that the command started is killed. */
  timeoutMs: number;
  /** Bytes of output that come back, shared by standard output and error: the head and the tail of it. Default 102,400. */
  maxOutputBytes?: number;
  /** Keep the output, up to 256 MiB of it, in a file inside when it outgrows `maxOutputBytes`; `CommandResult.outputFile` names it. */
  keepOutput?: boolean;
  /** Standard output and error as they come, interleaved; for progress. Never awaited. */
  onOutput?: (chunk: Uint8Array) => void;
  signal?: AbortSignal;
}

export interface CommandResult {
  /** Null when the command did not end by itself. 128 + n after signal n, as shells tell it. */
  exitCode: number | null;
  ended: "exit" | "timeout" | "aborted" | "closed";
  /** Standard output and error, interleaved as the command wrote them, cut in the middle at a line when too long. */
  output: Uint8Array;
  /** Bytes that the cut left out. */
  omittedBytes: number;
  /** Path inside of the output, when it was cut and `keepOutput` was set. Null when it could not be kept, as on a full disk. */
  outputFile: string | null;
  /** Working directory of the named shell after the command; null without one. */
  cwd: string | null;
  /**
   * The sandbox met a limit while it ran: a process was killed for memory, none could be started, or the disk is full (told
   * only of a command that failed). Absent when none was met, and where the engine cannot tell.
   */
  limit?: "memory" | "processes" | "disk";
  /**
   * What was refused on the network while it ran, each host once, also to what ran beside it: the network is the sandbox's. Absent
   * when nothing was.
   */
  denied?: readonly EgressDenied[];
  /** What had been left running was stopped, since it left no room for another process. */
  cleared?: true;
}

export interface Capability {
  name: string;
  /** `no` means that something users rely on is not enforced. */
  state: "yes" | "no" | "degraded";
  /** One sentence: what it does, or what is missing and how to get it. */
  detail: string;
}

/** The engine could not do its part: a missing program, a refused mount, no free disk. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
}

/** The image of a sandbox cannot be run. The message is one sentence for users, without paths. */
export class ImageError extends SandboxError {}

/** A disk is to be limited and this machine cannot do that. The message is one sentence for users, without paths. */
export class DiskLimitError extends SandboxError {
  constructor(why: string, options?: ErrorOptions) {
    super(`The session's disk is limited (disk_mb), which this machine cannot enforce: ${why}.`, options);
  }
}
