import { setTimeout as delay } from "node:timers/promises";
import type { DiskSnapshots, FoundSnapshot } from "../interface/disks.ts";
import { SandboxError } from "../interface/errors.ts";
import { isStatus } from "./api-status.ts";
import type { Cluster } from "./cluster.ts";
import { isGoing } from "./is-going.ts";
import { bytesOf } from "./quantity.ts";
import { snapshotFault } from "./snapshot-fault.ts";
import { type SnapshotObject, SnapshotObjects } from "./snapshot-objects.ts";

/** Label of every snapshot: its owner. */
const OWNER = "berth.snapshots";
/** Label of every snapshot: its id. */
const ID = "berth.snapshot";
/** Milliseconds; short, because a session waits for it. */
const TAKE_TIMEOUT_MS = 20_000;
const LOOK_MS = 100;

export interface SnapshotOptions {
  snapshotClass: string;
  diskBytes: number;
  serverImage: string;
  imagePullPolicy: string;
  /** Returns the name of a disk's claim. */
  claimName(disk: string): string;
}

/** Volume snapshots, as objects that the cluster's snapshot controller and its storage driver act on. */
export class PodSnapshots implements DiskSnapshots {
  readonly diskBytes: number;
  readonly #cluster: Cluster;
  readonly #objects: SnapshotObjects;
  readonly #options: SnapshotOptions;

  constructor(cluster: Cluster, options: SnapshotOptions) {
    this.diskBytes = options.diskBytes;
    this.#cluster = cluster;
    this.#objects = new SnapshotObjects(cluster);
    this.#options = options;
  }

  fault(): Promise<string | null> {
    return snapshotFault(this.#cluster, this.#objects, this.#options);
  }

  async take(disk: string, id: string, owner: string, signal: AbortSignal): Promise<void> {
    const { snapshotClass, claimName } = this.#options;
    const name = snapshotName(id);
    await this.#objects
      .create({
        metadata: { name, labels: { [OWNER]: owner, [ID]: id } },
        spec: {
          volumeSnapshotClassName: snapshotClass,
          source: { persistentVolumeClaimName: claimName(disk) },
        },
      })
      // The call may have been retried after it succeeded.
      .catch((error: unknown) => {
        if (!isStatus(error, 409)) throw error;
      });
    const late = AbortSignal.timeout(TAKE_TIMEOUT_MS);
    while (!isTaken(await this.#objects.find(name))) {
      signal.throwIfAborted();
      if (late.aborted) throw new SandboxError("the cluster takes no snapshot of the volume in time");
      await delay(LOOK_MS);
    }
  }

  async find(id: string): Promise<FoundSnapshot | null> {
    const object = await this.#objects.find(snapshotName(id));
    return object === null || isGoing(object) ? null : found(id, object);
  }

  async list(owner: string): Promise<FoundSnapshot[]> {
    const objects = await this.#objects.list(`${OWNER}=${owner}`);
    return objects
      .filter((object) => !isGoing(object))
      .flatMap((object) => {
        const id = object.metadata.labels?.[ID];
        return id === undefined ? [] : [found(id, object)];
      });
  }

  async remove(id: string): Promise<void> {
    await this.#objects.remove(snapshotName(id));
  }
}

/** Returns the name of a snapshot's object. */
export function snapshotName(id: string): string {
  return `berth-${id}`;
}

/** Returns whether the contents are fixed. It may become ready to use much later. */
function isTaken(object: SnapshotObject | null): boolean {
  return object?.status?.creationTime !== undefined;
}

function found(id: string, { status }: SnapshotObject): FoundSnapshot {
  return { id, isReady: status?.readyToUse === true, bytes: bytesOf(status?.restoreSize ?? "0") };
}
