import type { Limits } from "./spec.ts";

/** What a sandbox is made with before it is known whose it is. */
export interface SandboxShape {
  limits: Limits;
  /** Null: the engine's default. */
  image: string | null;
  /** Null: the engine's default. */
  runtimeClass: string | null;
  /** As in `SandboxSpec`, sorted. */
  writable: readonly string[];
  /** Whether it will have a tunnel to the egress gateway. */
  hasTunnel: boolean;
}

/** A disk of the pool, and the sandbox on it. */
export interface WarmSandbox {
  disk: string;
  /** Whether it runs, and somebody could take it. */
  serves: boolean;
}

/**
 * Sandboxes that are made on new disks before a session needs one. `open` on such a disk takes its sandbox, where that fits, and sends it what
 * the session brings; nothing has run there, and it reaches nothing. Where it does not fit, or is gone, `open` makes another on the disk.
 * The caller decides how many there are, gives each a disk and a uid that nobody else has, and removes one by
 * taking its disk away with the epoch 0.
 */
export interface WarmSandboxes {
  /** The shape of a sandbox; null: one of its spec can only be made when it is opened. */
  shapeOf(spec: ShapedSpec): SandboxShape | null;
  /** The same for all shapes whose sandboxes are made alike, with the present settings of the engine. Null: it makes none such. */
  keyOf(shape: SandboxShape): string | null;
  /** Resolves once it can be taken. Rejects with `SandboxError` when it cannot be made, and then leaves no sandbox, but maybe the disk. */
  make(disk: { name: string; uid: number }, shape: SandboxShape): Promise<void>;
  /** Those that nobody has taken. */
  untaken(): Promise<WarmSandbox[]>;
}

/** What of a spec decides about its shape. */
export interface ShapedSpec {
  limits: Limits;
  image?: string | null | undefined;
  runtimeClass?: string | null | undefined;
  writable: readonly string[];
  /** Where its files and directories are in the sandbox. */
  files: readonly { target: string }[];
  directories?: readonly { target: string }[];
  hasTunnel: boolean;
}
