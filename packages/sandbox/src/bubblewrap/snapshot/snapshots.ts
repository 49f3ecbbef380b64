import { createHash } from "node:crypto";
import { posix } from "node:path";
import { isBelow } from "../../inside/mounts.ts";
import { SandboxError } from "../../interface/errors.ts";
import type { MountedSnapshot, SnapshotLayers } from "../../interface/spec.ts";
import type { MountHelper } from "./mount-helper.ts";

/** Exit code of `mount-snapshots.pl` when something is at the target. */
const TARGET_TAKEN = 70;

/** A running sandbox into which snapshots are mounted. */
export interface SnapshotDeps {
  helper: MountHelper;
  /** Host pids of bwrap, a child of this process, and of process 1. */
  bwrap: number;
  init: number;
  uid: number;
  /** Path of the disk in bwrap's mount namespace. */
  disk: string;
  /** Directories of the sandbox that are on the disk. */
  writable: readonly string[];
}

/** Result of a mount; `occupied` when something is at the target. */
export type MountResult = { state: "mounted" } | { state: "occupied" } | { state: "failed"; why: string };

/** The snapshots of one sandbox. Each is mounted as an overlay with its upper layer on the disk. */
export class Snapshots {
  readonly #deps: SnapshotDeps;
  readonly #log: (line: object) => void;
  readonly #targets = new Set<string>();

  constructor(deps: SnapshotDeps, log: (line: object) => void) {
    this.#deps = deps;
    this.#log = log;
  }

  /**
   * Mounts a snapshot, without earlier changes or with those that the disk has; see `Sandbox.mountSnapshot`.
   * Returns false when it cannot. Never throws.
   */
  async mount(snapshot: MountedSnapshot, changes: "fresh" | "kept"): Promise<boolean> {
    const target = this.#cleanTarget(snapshot.target);
    if (target === null || this.#targets.has(target)) return false;
    this.#targets.add(target);
    const mounting = await mountSnapshots(this.#deps, [{ ...snapshot, target }], changes);
    if (mounting.state === "mounted") return true;
    this.#targets.delete(target);
    if (mounting.state === "failed")
      this.#log({ msg: "a snapshot could not be mounted", error: mounting.why });
    return false;
  }

  /**
   * Unmounts a snapshot and deletes its changes. Returns false when none is mounted there or unmounting
   * fails. Never throws.
   */
  async unmount(path: string): Promise<boolean> {
    const target = this.#cleanTarget(path);
    if (target === null || !this.#targets.has(target)) return false;
    const why = await unmountSnapshot(this.#deps, target);
    if (why === null) this.#targets.delete(target);
    else this.#log({ msg: "a snapshot could not be unmounted", error: why });
    return why === null;
  }

  /**
   * Mounts snapshots with their earlier changes, if the disk has any. Rejects with `SandboxError` when one
   * cannot be mounted.
   */
  async restore(snapshots: readonly MountedSnapshot[]): Promise<void> {
    const all = snapshots
      .map((snapshot) => ({ ...snapshot, target: this.#requiredTarget(snapshot.target) }))
      .sort((one, other) => one.target.length - other.target.length);
    const mounting = await mountSnapshots(this.#deps, all, "kept");
    if (mounting.state === "mounted") for (const { target } of all) this.#targets.add(target);
    else
      throw new SandboxError("a snapshot could not be mounted", {
        cause: mounting.state === "occupied" ? "something is at its target" : mounting.why,
      });
  }

  #requiredTarget(path: string): string {
    const target = this.#cleanTarget(path);
    if (target === null) throw new SandboxError(`no snapshot can be mounted at ${path}`);
    return target;
  }

  /** Returns the normal form of a target; null when it is not on the disk. */
  #cleanTarget(path: string): string | null {
    const target = posix.normalize(path).replace(/(.)\/+$/, "$1");
    return this.#deps.writable.some((path) => isBelow(target, path)) ? target : null;
  }
}

/** Mounts all of the snapshots or none. Never throws. */
export async function mountSnapshots(
  { helper, bwrap, init, uid, disk }: Omit<SnapshotDeps, "writable">,
  snapshots: readonly MountedSnapshot[],
  state: "fresh" | "kept",
): Promise<MountResult> {
  const each = snapshots.flatMap(({ target, below = [], ...highest }) => {
    const layers = [highest, ...below].flatMap(layersOf);
    return [String(layers.length), ...layers.flat(), directoryOf(target), target, state];
  });
  const { status, text } = await helper.request("mount", [...[bwrap, init, uid].map(String), disk, ...each]);
  if (status === 0) return { state: "mounted" };
  return status === TARGET_TAKEN ? { state: "occupied" } : { state: "failed", why: text };
}

/** Returns the layers of a snapshot as the helper takes them, from the highest to the lowest. */
function layersOf({ source, name = source, layers = [], uid }: SnapshotLayers): string[][] {
  return [...layers.toReversed(), source].map((path) => [path, name, String(uid)]);
}

/** Unmounts a snapshot and deletes its changes. Returns null, or the reason of a failure. */
async function unmountSnapshot(
  { helper, bwrap, init, uid, disk }: SnapshotDeps,
  target: string,
): Promise<string | null> {
  const all = [...[bwrap, init, uid].map(String), disk, directoryOf(target), target];
  const { status, text } = await helper.request("unmount", all);
  return status === 0 ? null : text;
}

/** Returns the path on the disk of the changes of the snapshot at that target. */
export function snapshotChanges(target: string): string {
  return `overlays/${directoryOf(posix.normalize(target))}/upper`;
}

/**
 * Returns the name of the directory, below the disk's `overlays`, with the changes of the snapshot at that
 * target.
 */
function directoryOf(target: string): string {
  return createHash("sha256").update(target).digest("hex").slice(0, 24);
}
