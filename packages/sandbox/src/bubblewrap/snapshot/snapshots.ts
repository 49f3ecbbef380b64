import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { posix } from "node:path";
import { promisify } from "node:util";
import { isBelow } from "../../inside/disk.ts";
import { SandboxError } from "../../interface/errors.ts";
import type { MountedSnapshot } from "../../interface/spec.ts";
import { perlScript } from "../../scripts/read-script.ts";

const run = promisify(execFile);
const TIMEOUT_MS = 60_000;
const MOUNT = perlScript("bubblewrap/living-sandbox.pl", "bubblewrap/mount-snapshots.pl");
const UNMOUNT = perlScript("bubblewrap/living-sandbox.pl", "bubblewrap/unmount-snapshot.pl");
/** Exit code of `mount-snapshots.pl` when something is at the target. */
const TARGET_TAKEN = 70;

/** A living sandbox of root's, as snapshots are mounted into it. */
export interface SnapshotHost {
  perl: string;
  /** Pid of bwrap, a child of this process, and that of process 1. */
  bwrap: number;
  init: number;
  uid: number;
  /** The disk, where bwrap's mount namespace shows it. */
  disk: string;
  /** Places inside that lie on the disk. */
  places: readonly string[];
}

/** How a mount ended: `taken` when something stands at the target. */
export type Mounting = { state: "mounted" } | { state: "taken" } | { state: "refused"; why: string };

/** Shows snapshots in one sandbox: each an overlay whose upper layer is on the disk. */
export class Snapshots {
  readonly #host: SnapshotHost;
  readonly #log: (line: object) => void;
  readonly #targets = new Set<string>();

  constructor(host: SnapshotHost, log: (line: object) => void) {
    this.#host = host;
    this.#log = log;
  }

  /** Anew, in an empty place. False where it cannot. Never throws. */
  async mount(snapshot: MountedSnapshot): Promise<boolean> {
    const target = this.#placeOf(snapshot.target);
    if (target === null || this.#targets.has(target)) return false;
    this.#targets.add(target);
    const mounting = await mountSnapshots(this.#host, [{ ...snapshot, target }], "fresh");
    if (mounting.state === "mounted") return true;
    this.#targets.delete(target);
    if (mounting.state === "refused")
      this.#log({ msg: "a snapshot could not be mounted", error: mounting.why });
    return false;
  }

  /** With all that was changed in it. False where none is. Never throws. */
  async unmount(path: string): Promise<boolean> {
    const target = this.#placeOf(path);
    if (target === null || !this.#targets.has(target)) return false;
    const why = await removeSnapshot(this.#host, target);
    if (why === null) this.#targets.delete(target);
    else this.#log({ msg: "a snapshot could not be taken away", error: why });
    return why === null;
  }

  /** Those of before, with what was changed in them; one that the disk has nothing of, anew. Rejects with `SandboxError`. */
  async restore(snapshots: readonly MountedSnapshot[]): Promise<void> {
    const all = snapshots
      .map((snapshot) => ({ ...snapshot, target: this.#requiredPlace(snapshot.target) }))
      .sort((one, other) => one.target.length - other.target.length);
    const mounting = await mountSnapshots(this.#host, all, "kept");
    if (mounting.state === "mounted") for (const { target } of all) this.#targets.add(target);
    else
      throw new SandboxError("a snapshot could not be mounted", {
        cause: mounting.state === "taken" ? "something stands at its target" : mounting.why,
      });
  }

  #requiredPlace(path: string): string {
    const target = this.#placeOf(path);
    if (target === null) throw new SandboxError(`no snapshot can be mounted at ${path}`);
    return target;
  }

  /** Its normal form, null where it does not lie on the disk. */
  #placeOf(path: string): string | null {
    const target = posix.normalize(path).replace(/(.)\/+$/, "$1");
    const { places } = this.#host;
    return places.some((place) => isBelow(target, place)) ? target : null;
  }
}

/** In one process. Never throws. */
export async function mountSnapshots(
  { perl, bwrap, init, uid, disk }: Omit<SnapshotHost, "places">,
  snapshots: readonly MountedSnapshot[],
  state: "fresh" | "kept",
): Promise<Mounting> {
  const each = snapshots.flatMap(({ source, name = source, uid: owner, target }) => [
    source,
    name,
    String(owner),
    directoryOf(target),
    target,
    state,
  ]);
  const script = ["-e", MOUNT, "--", String(bwrap), String(init), String(uid), disk];
  try {
    await run(perl, [...script, ...each], { cwd: "/", env: {}, timeout: TIMEOUT_MS });
    return { state: "mounted" };
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    return code === TARGET_TAKEN
      ? { state: "taken" }
      : { state: "refused", why: stderr?.trim() || String(error) };
  }
}

/** Null, or why it could not. */
async function removeSnapshot(
  { perl, bwrap, init, uid, disk }: SnapshotHost,
  target: string,
): Promise<string | null> {
  const script = ["-e", UNMOUNT, "--", String(bwrap), String(init), String(uid)];
  try {
    await run(perl, [...script, disk, directoryOf(target), target], {
      cwd: "/",
      env: {},
      timeout: TIMEOUT_MS,
    });
    return null;
  } catch (error) {
    return (error as { stderr?: string }).stderr?.trim() || String(error);
  }
}

/** Name, below the disk's `overlays`, of what is changed in the snapshot that is shown there. */
function directoryOf(target: string): string {
  return createHash("sha256").update(target).digest("hex").slice(0, 24);
}
