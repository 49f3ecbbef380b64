import type { EgressPolicy } from "@berth/egress";
import type { Capability } from "./capability.ts";
import type { Command, CommandResult } from "./command.ts";
import type { Disks } from "./disks.ts";
import type { PortConnection } from "./port-connection.ts";
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
  /** Whether sandboxes run the image that their spec names. Default: false. */
  readonly runsImages?: boolean;
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
   * Moves or copies a directory from the disk of a closed sandbox, such as `data/tree`, to a host directory.
   * Absent where disks are not on this host.
   *
   * @param path Relative path on the disk: the first part names a writable directory. What is there is taken
   * as it is, also a link.
   * @param to Path to create, on the filesystem of the disk.
   * @returns false when the disk is full, so that something may be missing.
   * @throws SandboxError when it cannot, and the signal's reason.
   */
  takeDirectory?(disk: string, path: string, to: string, signal: AbortSignal): Promise<boolean>;
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

/** How long processes may take to end by themselves. */
export interface Grace {
  /** Milliseconds. */
  ms: number;
  /** Aborts when somebody waits for the end; processes then have two seconds in all at most. */
  hurry?: AbortSignal;
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
   * on the disk. From the next `open` on, the snapshot must be in `spec.snapshots`, or mounted with `kept`.
   *
   * @param changes `fresh`: without earlier changes. `kept`: with those that the disk has, if any, over those
   * of the snapshots that it had them over. Default: `fresh`.
   * @returns false when this machine or engine cannot, when something is at the target of a snapshot without
   * earlier changes, or when a snapshot is missing that they are over; then nothing has changed.
   */
  mountSnapshot(snapshot: MountedSnapshot, changes?: "fresh" | "kept"): Promise<boolean>;
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
  /**
   * Connects to a TCP port of the sandbox, at 127.0.0.1 or else at ::1, as a program in it would. The relay that
   * this needs is no process of the agent: it does not count in `processes`, and ends before `terminate` asks
   * others to. Its processes count towards the limit of the sandbox. The stream ends each direction by itself,
   * and fails when the sandbox ends; destroying it ends the relay.
   *
   * @param port 1 to 65,535.
   */
  connect(port: number): Promise<PortConnection>;
  /** Changes which hosts can be reached, at once. */
  setEgress(policy: EgressPolicy): void;
  /** Returns how many processes run: those of commands, and what commands left. 0 when the sandbox has ended. */
  processes(): Promise<number>;
  /**
   * Asks these processes to end, and resolves when they have, or the grace is over. Then the sandbox can be
   * closed, or go on. Not called while commands run.
   */
  terminate(grace: Grace): Promise<void>;
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
