import { rm } from "node:fs/promises";
import { UPLOADS_INSIDE } from "../inside/environment.ts";
import { cleanPath, isBelow, writableMounts } from "../inside/mounts.ts";
import { SandboxError } from "../interface/errors.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import type { SandboxShape, ShapedSpec, WarmSandbox, WarmSandboxes } from "../interface/warm.ts";
import { beginNew } from "./begin-pod.ts";
import { placeOf } from "./content-places.ts";
import { madeWith } from "./made-with.ts";
import { withEvictionNotes } from "./note-eviction.ts";
import { POOL, podBody } from "./pod-body.ts";
import type { PodHost } from "./pod-host.ts";
import { partsOf } from "./pod-parts.ts";
import { requireRuntimeClass } from "./runtime-classes.ts";
import { writeFiles } from "./start-pod.ts";
import { patched, wantPod, writableOf } from "./wanted-pod.ts";

/** Pods that no session has taken yet: with epoch 0, named after their disks, and with the pool as owner. */
export class WarmPods implements WarmSandboxes {
  readonly #host: PodHost;
  #count = 0;

  constructor(host: PodHost) {
    this.#host = { ...host, owner: POOL };
  }

  /** Returns null for a spec with mounts of its own, which a pod of the pool cannot have. */
  shapeOf(spec: ShapedSpec): SandboxShape | null {
    const { limits, image = null, runtimeClass = null, hasTunnel } = spec;
    const { mounted } = writableMounts({ writable: [...spec.writable] }, "/");
    const isMounted = (path: string) =>
      ![UPLOADS_INSIDE, ...mounted.map(({ inside }) => inside)].some((parent) => isBelow(path, parent));
    if (spec.files.some(({ target }) => isMounted(cleanPath(target)))) return null;
    if (spec.directories?.some(({ target }) => !placeOf(cleanPath(target), 0).isCommon)) return null;
    const writable = spec.writable.map(cleanPath).sort();
    return { limits, image, runtimeClass, writable, hasTunnel };
  }

  /**
   * Returns a key of the pod's body without its name, volume and owner; null when its runtime class is not
   * allowed.
   */
  keyOf(shape: SandboxShape): string | null {
    try {
      requireRuntimeClass(shape.runtimeClass, this.#host.runtimeClasses);
    } catch {
      return null;
    }
    const { disks, shared } = this.#host;
    const { mounted } = writableMounts({ writable: [...shape.writable] }, "/");
    const files = { writable: writableOf({ writable: mounted }), files: [], directories: [] };
    const parts = partsOf(this.#host, specOf({ name: "", uid: 0 }, shape), files, { name: "", claim: "" });
    return madeWith(patched(this.#host, podBody(parts)), shape.limits, shared, disks.options);
  }

  async make(disk: { name: string; uid: number }, shape: SandboxShape): Promise<void> {
    const directory = `${this.#host.directory}/warm-${++this.#count}`;
    const undo: (() => Promise<unknown>)[] = [];
    try {
      await this.#make(specOf(disk, shape), directory, undo);
    } catch (error) {
      for (const step of undo.reverse()) await step().catch(() => {});
      throw error;
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  async untaken(): Promise<WarmSandbox[]> {
    return (await this.#host.placer.pool()).map(({ id, serves }) => ({ disk: id, serves }));
  }

  async #make(spec: SandboxSpec, directory: string, undo: (() => Promise<unknown>)[]): Promise<void> {
    const host = this.#host;
    const files = await writeFiles(host, spec, directory);
    const wanted = await wantPod(host, spec, directory, files, true);
    const pod = await host.cluster.createPod(withEvictionNotes(wanted.body));
    if (pod === null) throw new SandboxError("a pod of the pool is there already");
    undo.push(() => host.placer.remove(pod, 0, false));
    const { connection, start } = await beginNew({ host, spec, undo, ...wanted }, pod);
    start?.end();
    connection.close();
  }
}

/** Returns the spec of a pod in the pool. Its network is opened once a session has taken it. */
function specOf({ name, uid }: { name: string; uid: number }, shape: SandboxShape): SandboxSpec {
  const { limits, image, runtimeClass, writable, hasTunnel } = shape;
  return {
    ...{ id: name, disk: name, epoch: 0, uid, limits, image, runtimeClass },
    writable: [...writable],
    egress: { mode: "limited", hosts: [] },
    files: [],
    ...(hasTunnel ? { openTunnel: untaken } : {}),
  };
}

async function untaken(): Promise<never> {
  throw new SandboxError("a pod of the pool has no network");
}
