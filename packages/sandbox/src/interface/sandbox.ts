import type { EgressPolicy } from "@berth/egress";
import type { Capability } from "./capability.ts";
import type { Command, CommandResult } from "./command.ts";
import type { Disks } from "./disks.ts";
import type { MountedFile, MountedSnapshot, SandboxSpec } from "./spec.ts";
import type { WarmSandboxes } from "./warm.ts";

/**
 * Where the commands of a session run: one interface, several engines.
 *
 * Lifecycle: the runner asks an engine to `open` a sandbox for a session. It then calls `run` as often as it likes, also
 * concurrently; each call is one command with its own output stream. Commands with the same `shell` share a shell (working
 * directory, variables) and run one after another. Files and snapshots can be added and removed at any time. `close` kills
 * every process by group membership, without waiting for any, and leaves only the disk. It may be called twice, after a failed
 * command, and while commands run: those resolve with `ended: "closed"`. When the sandbox ends by itself, `closed` resolves,
 * every running and later command resolves with `ended: "closed"`, and the caller opens another sandbox on the same disk.
 *
 * Nothing is thrown for what a command does: exit codes, timeouts, floods of output and kills are results. A rejection means
 * that the engine failed (`SandboxError`).
 *
 * Trust: everything in a sandbox is hostile, process 1 included. It holds no secret but the variables of the commands that
 * run, and its output is read as untrusted bytes.
 */
export interface SandboxEngine {
  readonly name: string;
  /** Absent: disks are directories of this host, which the caller names and removes. */
  readonly disks?: Disks;
  /** Absent: it makes no sandbox before it is opened. */
  readonly warm?: WarmSandboxes;
  /** What this machine supports and lacks, one line each, for `berth doctor`. Never throws. */
  probe(): Promise<Capability[]>;
  /** Rejects with `SandboxError` when it cannot, and then leaves nothing behind. */
  open(spec: SandboxSpec): Promise<Sandbox>;
  /** What a disk takes on its host, in bytes; null where the engine does not know it, as of a disk without a limit. */
  diskBytes(disk: string): Promise<number | null>;
  /**
   * Moves or copies what a closed sandbox has changed of its system (`SystemLayers.changes`) from its disk to a host directory, to be a
   * layer of other sandboxes.
   *
   * @param to is created, on the filesystem of the disk.
   * @returns false when the disk is full, so that some change may be missing: then `to` is not created.
   * @throws SandboxError when it cannot, and the signal's reason.
   */
  takeChanges(disk: string, to: string, signal: AbortSignal): Promise<boolean>;
  /**
   * The same for what a closed sandbox has changed in the snapshot that it had at a target, to be a layer over the same snapshot
   * (`MountedSnapshot.layers`), with the uid of that sandbox.
   *
   * @throws SandboxError when the disk has no changes there.
   */
  takeSnapshotChanges(disk: string, target: string, to: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Removes what dead processes of the same `instance` left on this host, and closes the sandboxes of this process whose id
   * `mayLive` rejects. Safe while other sandboxes run, and when it is interrupted. A thing that cannot be removed does not stop
   * the removal of the rest: `sweep` rejects at the end, and the next one tries again.
   *
   * @param abandoned Those among sandboxes of other processes, wherever they run, whose session no process holds. Who holds it with a later
   * epoch goes on with the sandbox. Asked by an engine whose sandboxes are not on this host alone.
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

export interface Sandbox {
  readonly id: string;
  run(command: Command): Promise<CommandResult>;
  /**
   * Runs commands without a `shell` side by side, in one round trip: each as `run` would, with limits, an end and an output of its own.
   * For commands that only read: one may run twice where the shell that starts them is killed meanwhile.
   * Absent where that is no quicker than to run each.
   *
   * @returns one promise for each command, in order.
   */
  runTogether?(commands: readonly Omit<Command, "shell" | "aside">[]): Promise<CommandResult>[];
  /**
   * Puts a host file at an absolute path of the sandbox, read-only for the agent, also while commands run. A process of the
   * sandbox writes it: the host resolves no path in a directory that the agent writes.
   *
   * @returns false when the path needs a mount, which only a new `open` with the file in `spec.files` makes.
   */
  placeFile(file: MountedFile): Promise<boolean>;
  /**
   * Removes a file that was in `spec.files` or placed, also while commands run. A directory at its path stays. True also when
   * nothing is there.
   *
   * @returns false when the file is a mount, which only a new `open` without it removes, or when the sandbox has ended.
   * @throws SandboxError when the directory does not let the file be removed.
   */
  removeFile(target: string): Promise<boolean>;
  /**
   * Mounts a snapshot at its target, writable: the agent may change all of it, and its changes are kept on the disk alone. From
   * the next `open` on, the snapshot must be in `spec.snapshots`.
   *
   * @returns false when this machine or engine cannot, or something is at the target; then nothing has changed.
   */
  mountSnapshot(snapshot: MountedSnapshot): Promise<boolean>;
  /**
   * Unmounts the snapshot at the target, deletes what was changed in it, and removes the empty directory.
   *
   * @returns false when no snapshot is mounted there, or it could not be unmounted.
   */
  unmountSnapshot(target: string): Promise<boolean>;
  /**
   * Whether nothing was ever put into this writable directory of `spec` or of every sandbox, on whichever sandbox of the disk. Costs
   * no process. False when that cannot be told, and when the sandbox has ended.
   */
  isUntouched(directory: string): Promise<boolean>;
  /**
   * Shows what a directory of `spec.directories` has now. Absent where changes on the host are visible by themselves.
   *
   * @throws SandboxError when some of it cannot be shown.
   */
  refreshDirectory?(target: string): Promise<void>;
  /** Changes which hosts can be reached, at once. */
  setEgress(policy: EgressPolicy): void;
  close(): Promise<void>;
  /**
   * Closes it for this process alone: whoever opens a sandbox of the same `id` with a later epoch goes on in it, where it fits. Absent where
   * no other process can.
   */
  leave?(): Promise<void>;
  /** It was running before it was opened: in the pool, or left by an earlier lease. Absent: it was not. */
  readonly wasThere?: boolean;
  /** It has begun to end, and runs nothing any more. Absent: that is not known before it has ended. */
  readonly isEnding?: boolean;
  /** Resolves, never rejects, when the sandbox has ended for whatever reason. */
  readonly closed: Promise<void>;
}
