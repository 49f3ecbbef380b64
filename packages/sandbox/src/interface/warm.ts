import type { Limits } from "./spec.ts";

/** The properties of a sandbox that is made before its session is known. */
export interface SandboxShape {
  limits: Limits;
  /** Image; null for the engine's default. */
  image: string | null;
  /** Runtime class; null for the engine's default. */
  runtimeClass: string | null;
  /** See `SandboxSpec.writable`; sorted. */
  writable: readonly string[];
  /** Whether the sandbox will have a tunnel to the egress gateway. */
  hasTunnel: boolean;
}

/** A disk of the pool and the sandbox on it. */
export interface WarmSandbox {
  disk: string;
  /** Whether the sandbox runs, so that a session can take it. */
  serves: boolean;
}

/**
 * Sandboxes that are made on new disks before a session needs one. `open` on such a disk takes its sandbox
 * when that fits, and sends it what the session brings. Until then nothing has run in the sandbox, and it
 * reaches nothing. When it does not fit, or is gone, `open` makes another on the disk.
 *
 * The caller decides how many there are. It gives each a disk and a uid that nothing else uses, and removes
 * one by `Disks.takeAway` with epoch 0.
 */
export interface WarmSandboxes {
  /** Returns the shape of a sandbox; null when one with this spec can only be made when it is opened. */
  shapeOf(spec: ShapedSpec): SandboxShape | null;
  /**
   * Returns a key that is equal for all shapes whose sandboxes are identical under the engine's current
   * settings. Returns null when the engine cannot make this shape.
   */
  keyOf(shape: SandboxShape): string | null;
  /**
   * Makes a sandbox and resolves once it can be taken. Rejects with `SandboxError` when it cannot be made;
   * then no sandbox is left, but possibly the disk.
   */
  make(disk: { name: string; uid: number }, shape: SandboxShape): Promise<void>;
  /** Returns the sandboxes that no session has taken. */
  untaken(): Promise<WarmSandbox[]>;
}

/** The properties of a spec that determine its shape. */
export interface ShapedSpec {
  limits: Limits;
  image?: string | null | undefined;
  runtimeClass?: string | null | undefined;
  writable: readonly string[];
  /** Its files and directories, with their paths in the sandbox. */
  files: readonly { target: string }[];
  directories?: readonly { target: string }[];
  hasTunnel: boolean;
}
