import type { EgressPolicy } from "@berth/egress";
import type { Capability } from "./capability.ts";
import type { Command, CommandResult } from "./command.ts";
import type { Disks } from "./disks.ts";
import type { MountedFile, MountedSnapshot, SandboxSpec } from "./spec.ts";
import type { WarmSandboxes } from "./warm.ts";

/**
 * The engine that runs the sandboxes of sessions: one interface with several implementations.
 *
 * Lifecycle: the runner asks an engine to `open` a sandbox for a session. It then calls `run` any number of
 * times, also concurrently; each call is one command with its own output stream. Commands with the same
 * `shell` share a shell (working directory, variables) and run one after another. Files and snapshots can be
 * added and removed at any time. `close` kills every process by control group, without waiting for any, and
 * leaves only the disk. It may be called twice, after a failed command, and while commands run: those resolve
 * with `ended: "closed"`. When the sandbox ends by itself, `closed` resolves, and every running and later
 * command resolves with `ended: "closed"`. The caller then opens another sandbox on the same disk.
 *
 * Nothing is thrown for what a command does: exit codes, timeouts, floods of output and kills are results. A
 * rejection means that the engine failed (`SandboxError`).
 *
 * Trust: everything in a sandbox is hostile, process 1 included. It holds no secret but the variables of the
 * commands that run, and its output is read as untrusted bytes.
 */
export interface SandboxEngine {
  readonly name: string;
  /** Absent when disks are directories of this host, which the caller names and removes. */
  readonly disks?: Disks;
  /** Absent when the engine cannot make sandboxes in advance. */
  readonly warm?: WarmSandboxes;
  /** Returns what this machine supports and lacks, one line each, for `berth doctor`. Never throws. */
  probe(): Promise<Capability[]>;
  /** Opens a sandbox. Rejects with `SandboxError`, and leaves nothing behind, when it cannot. */
  open(spec: SandboxSpec): Promise<Sandbox>;
  /**
   * Returns the bytes that a disk takes on its host; null when the engine does not know, as for a disk
   * without a limit.
   */
  diskBytes(disk: string): Promise<number | null>;
  /**
   * Moves or copies a closed sandbox's changes of its system (`SystemLayers.changes`) from its disk to a host
   * directory, which can be a layer of other sandboxes.
   *
   * @param to Directory to create, on the filesystem of the disk.
   * @returns false when the disk is full, so that some change may be missing; then `to` is not created.
   * @throws SandboxError when it cannot, and the signal's reason.
   */
  takeChanges(disk: string, to: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Does the same for a closed sandbox's changes of the snapshot that it had at `target`. The result can be a
   * layer over the same snapshot (`MountedSnapshot.layers`), with the uid of that sandbox.
   *
   * @throws SandboxError when the disk has no changes there.
   */
  takeSnapshotChanges(disk: string, target: string, to: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Removes what dead processes of the same `instance` left on this host, and closes the sandboxes of this
   * process whose id `mayLive` rejects. Safe while other sandboxes run, and when it is interrupted. A failed
   * removal does not stop the others: `sweep` rejects at the end, and the next one tries again.
   *
   * @param abandoned Returns those sandboxes of other processes whose lease has no holder. A holder with a
   * later epoch adopts the sandbox. Called only by engines whose sandboxes may run on other hosts.
   * @returns the ids of the sandboxes of this process that it closed.
   */
  sweep(
    mayLive?: (id: string) => boolean,
    abandoned?: (sandboxes: readonly LeasedSandbox[]) => Promise<readonly LeasedSandbox[]>,
  ): Promise<string[]>;
  /** Closes every open sandbox and releases pooled resources. */
  close(): Promise<void>;
}

/** The `id` and `epoch` of a sandbox's spec. */
export interface LeasedSandbox {
  id: string;
  epoch: number;
}

/** An open sandbox; see `SandboxEngine` for its lifecycle. */
export interface Sandbox {
  readonly id: string;
  run(command: Command): Promise<CommandResult>;
  /**
   * Runs commands without a `shell` side by side, in one round trip. Each runs as with `run`, with its own
   * limits, end and output. Only for commands that just read: one may run twice when the shell that starts
   * them is killed meanwhile. Absent when this is no faster than separate calls.
   *
   * @returns one promise for each command, in order.
   */
  runTogether?(commands: readonly Omit<Command, "shell" | "aside">[]): Promise<CommandResult>[];
  /**
   * Puts a host file at an absolute path of the sandbox, read-only for the agent, also while commands run. A
   * process of the sandbox writes it, so that the host resolves no path in a directory that the agent can
   * write.
   *
   * @returns false when the path needs a mount, which only a new `open` with the file in `spec.files` makes.
   */
  placeFile(file: MountedFile): Promise<boolean>;
  /**
   * Removes a file of `spec.files` or one that was placed, also while commands run. A directory at the path
   * is kept. Returns true also when nothing is there.
   *
   * @returns false when the file is a mount, which only a new `open` without it removes, or when the sandbox
   * has ended.
   * @throws SandboxError when the directory does not let the file be removed.
   */
  removeFile(target: string): Promise<boolean>;
  /**
   * Mounts a snapshot at its target, writable: the agent may change all of it, and its changes are kept only
   * on the disk. From the next `open` on, the snapshot must be in `spec.snapshots`.
   *
   * @returns false when this machine or engine cannot, or when something is at the target; then nothing has
   * changed.
   */
  mountSnapshot(snapshot: MountedSnapshot): Promise<boolean>;
  /**
   * Unmounts the snapshot at the target, deletes its changes, and removes the empty directory.
   *
   * @returns false when no snapshot is mounted there, or when it could not be unmounted.
   */
  unmountSnapshot(target: string): Promise<boolean>;
  /**
   * Returns whether nothing was ever put into this writable directory (one of `spec`, or of every sandbox) in
   * any sandbox of the disk. Starts no process. Returns false when that is unknown, and when the sandbox has
   * ended.
   */
  isUntouched(directory: string): Promise<boolean>;
  /**
   * Updates a directory of `spec.directories` to its contents on the host. Absent when changes on the host
   * are visible by themselves.
   *
   * @throws SandboxError when some of it cannot be updated.
   */
  refreshDirectory?(target: string): Promise<void>;
  /** Changes which hosts can be reached, at once. */
  setEgress(policy: EgressPolicy): void;
  close(): Promise<void>;
  /**
   * Closes the sandbox for this process alone: whoever opens a sandbox of the same `id` with a later epoch
   * can adopt it. Absent when no other process can.
   */
  leave?(): Promise<void>;
  /** Whether it ran before it was opened: in the pool, or left by an earlier lease. Absent means false. */
  readonly wasThere?: boolean;
  /**
   * Whether it has begun to end and runs nothing any longer. Absent when that is unknown until it has ended.
   */
  readonly isEnding?: boolean;
  /** Resolves, and never rejects, when the sandbox has ended for any reason. */
  readonly closed: Promise<void>;
}
