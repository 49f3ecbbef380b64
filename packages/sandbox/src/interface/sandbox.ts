import type { EgressPolicy } from "@berth/egress";
import type { Capability } from "./capability.ts";
import type { Command, CommandResult } from "./command.ts";
import type { MountedFile, MountedSnapshot, SandboxSpec } from "./spec.ts";

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
   * Takes what a closed sandbox has changed of its system (`SystemLayers.changes`) from its disk to a host directory, as a
   * layer for other sandboxes.
   *
   * @param to is made, on the filesystem of the disk.
   * @returns false when the disk is full: nothing is taken then.
   * @throws SandboxError when it cannot, and the signal's reason.
   */
  takeChanges(disk: string, to: string, signal: AbortSignal): Promise<boolean>;
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
