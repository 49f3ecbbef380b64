import { createHash } from "node:crypto";
import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { V1PersistentVolumeClaim } from "@kubernetes/client-node";
import type { Disks } from "../interface/disks.ts";
import { DiskLimitError, SandboxError } from "../interface/errors.ts";
import type { Cluster } from "./cluster.ts";
import { endPod } from "./end-pod.ts";
import { isGoing } from "./is-going.ts";
import { PodSnapshots, snapshotName } from "./pod-snapshots.ts";
import { bytesOf } from "./quantity.ts";
import { epochOf } from "./remove-held.ts";
import { snapshotSource } from "./snapshot-objects.ts";

/** Label of every claim of a disk. */
const DISK = "berth.disk";
/** Annotation of a claim: the name of its disk. */
const DISK_NAME = "berth.disk-name";
/**
 * Milliseconds that a change of a volume may take. Some storage classes resize and delete only volumes that
 * no node has mounted. When the volume of an ended pod is still busy, the kubelet retries after half a
 * second, then doubles the delay. The eighth retry comes after 127 seconds.
 */
const CHANGE_TIMEOUT_MS = 180_000;
/** Milliseconds for a snapshot to become a volume; if it takes longer, cloning is as fast. */
const FILL_TIMEOUT_MS = 30_000;
const LOOK_MS = 100;

export interface DiskOptions {
  /** Storage class of the volumes; null for the cluster's default. */
  storageClass: string | null;
  /** Class of their snapshots; null when none are taken. */
  snapshotClass: string | null;
  /** Image of the pod that gives the files of a snapshot to a session's uid. */
  images: { serverImage: string; imagePullPolicy: string };
  /** Size in bytes of a disk whose spec has no limit. */
  diskBytes: number;
}

/** Disks that are persistent volume claims, each of the size of its limit. */
export class PodDisks implements Disks {
  readonly place: string;
  readonly snapshots?: PodSnapshots;
  readonly #cluster: Cluster;
  readonly #options: DiskOptions;

  constructor(cluster: Cluster, place: string, options: DiskOptions) {
    this.#cluster = cluster;
    this.place = place;
    this.#options = options;
    const { snapshotClass, diskBytes, images } = options;
    if (snapshotClass !== null)
      this.snapshots = new PodSnapshots(cluster, { snapshotClass, diskBytes, claimName, ...images });
  }

  async has(disk: string): Promise<boolean> {
    const claim = await this.#cluster.claim(claimName(disk));
    return claim !== null && !isGoing(claim);
  }

  async list(): Promise<string[]> {
    const claims = await this.#cluster.claims(DISK);
    return claims
      .filter((claim) => !isGoing(claim))
      .flatMap(({ metadata }) => metadata?.annotations?.[DISK_NAME] ?? []);
  }

  /** Deletes the claim. The cluster frees the space by itself once no pod uses the volume. */
  async takeAway(disk: string, epoch = Number.POSITIVE_INFINITY): Promise<() => Promise<void>> {
    await this.#endLeft(disk, epoch);
    await this.#cluster.removeClaim(claimName(disk));
    return async () => {};
  }

  /**
   * Creates the disk unless it exists, or enlarges it. If the disk is being deleted, first ends the pod that
   * still uses it and waits.
   *
   * @param limit Bytes; null for the default size of a new disk.
   * @param options `epoch` of the lease that is held; default: none is held. `source`: the snapshot from
   * which a new disk is made; default: it is empty.
   * @returns the name of its claim.
   */
  async ensure(
    disk: string,
    limit: number | null,
    {
      epoch = Number.POSITIVE_INFINITY,
      source,
    }: { epoch?: number | undefined; source?: string | undefined } = {},
  ): Promise<string> {
    const name = claimName(disk);
    const body = this.#body(name, disk, limit ?? this.#options.diskBytes, source);
    for (;;) {
      // Read first, because an exhausted quota hides from a create request that the claim exists.
      const there = await this.#cluster.claim(name);
      if (there === null) {
        if (await this.#cluster.createClaim(body)) return name;
      } else if (isGoing(there)) {
        await this.#endLeft(disk, epoch);
        await this.#untilGone(name);
      } else {
        if (limit !== null && limit > bytesOf(there.spec?.resources?.requests?.storage))
          await this.#enlarge(name, limit);
        return name;
      }
    }
  }

  /** The options of new disks. */
  get options(): DiskOptions {
    return this.#options;
  }

  /**
   * Resolves when the volume of a disk that is made from a snapshot exists, which needs a pod that waits for
   * it.
   *
   * @param isUnplaced Whether the pod has no node yet; no volume is made then, so that time does not count.
   * @throws SandboxError
   */
  async untilFilled(disk: string, isUnplaced: () => boolean): Promise<void> {
    await this.#until(
      claimName(disk),
      (claim) => claim?.status?.phase === "Bound",
      () => new SandboxError("the cluster makes no volume of the snapshot"),
      FILL_TIMEOUT_MS,
      isUnplaced,
    );
  }

  /**
   * Ends the pod that uses the disk; a session's pod is named after its disk.
   *
   * @throws SandboxError when a later lease holds it.
   */
  async #endLeft(disk: string, epoch: number): Promise<void> {
    const pod = await this.#cluster.pod(objectName(disk, disk));
    if (pod === null) return;
    if (epochOf(pod) > epoch) throw new SandboxError("a later lease has a sandbox on this disk");
    await endPod(this.#cluster, pod);
  }

  async #untilGone(name: string): Promise<void> {
    await this.#until(
      name,
      (claim) => claim === null,
      () => new SandboxError("the volume of a disk that was deleted is not gone yet"),
    );
  }

  /** Requests the size and waits until the volume is enlarged, or will be when it is mounted. */
  async #enlarge(name: string, bytes: number): Promise<void> {
    await this.#cluster.resizeClaim(name, bytes).catch((error: unknown) => {
      throw new DiskLimitError("its storage class enlarges no volumes", { cause: error });
    });
    await this.#until(
      name,
      (claim) =>
        claim === null || isPendingOnNode(claim) || bytesOf(claim.status?.capacity?.storage) >= bytes,
      () => new DiskLimitError("the cluster does not enlarge the volume"),
    );
  }

  async #until(
    name: string,
    isDone: (claim: V1PersistentVolumeClaim | null) => boolean,
    describe: () => SandboxError,
    timeoutMs = CHANGE_TIMEOUT_MS,
    isHeld: () => boolean = () => false,
  ): Promise<void> {
    let late = performance.now() + timeoutMs;
    while (!isDone(await this.#cluster.claim(name))) {
      if (isHeld()) late = performance.now() + timeoutMs;
      if (performance.now() > late) throw describe();
      await delay(LOOK_MS);
    }
  }

  #body(name: string, disk: string, bytes: number, source?: string): V1PersistentVolumeClaim {
    const { storageClass } = this.#options;
    return {
      metadata: { name, labels: { [DISK]: "true" }, annotations: { [DISK_NAME]: disk } },
      spec: {
        accessModes: ["ReadWriteOnce"],
        ...(storageClass === null ? {} : { storageClassName: storageClass }),
        ...(source === undefined ? {} : { dataSource: snapshotSource(snapshotName(source)) }),
        resources: { requests: { storage: String(bytes) } },
      },
    };
  }
}

/** Returns the name of a disk's claim: readable, and made unique by a hash. */
export function claimName(disk: string): string {
  return objectName(basename(disk), disk);
}

/**
 * Returns a name that is valid for every kind of object.
 *
 * @param unique Distinguishes it from all objects of the kind.
 */
export function objectName(label: string, unique: string): string {
  const slug = label
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 40);
  const hash = createHash("sha256").update(unique).digest("hex").slice(0, 12);
  return `berth-${slug}-${hash}`.replaceAll(/-+/g, "-");
}

function isPendingOnNode({ status }: V1PersistentVolumeClaim): boolean {
  return status?.conditions?.some(({ type }) => type === "FileSystemResizePending") ?? false;
}
