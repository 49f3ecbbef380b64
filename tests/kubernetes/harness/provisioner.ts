import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  StorageV1Api,
  type V1PersistentVolume,
  type V1PersistentVolumeClaim,
  Watch,
} from "@kubernetes/client-node";
import { defineSnapshots, SNAPSHOT_API, SNAPSHOT_CLASS } from "./snapshot-definitions.ts";

const run = promisify(execFile);
const PROVISIONER = "berth.test/loop";
const BUSY_MS = 100;
const MAX_TRIES = 20;
export const STORAGE_CLASS = "berth-test";

/** A node of this machine. */
export interface Node {
  name: string;
  /** The directory that it was started in. */
  directory: string;
}

interface Snapshot {
  metadata: { name: string; namespace: string; uid: string };
  spec: { volumeSnapshotClassName?: string; source: { persistentVolumeClaimName: string } };
  status?: object;
}

/**
 * Provisions a volume of exactly the requested size for each claim of the class: an ext4 filesystem in a
 * file, mounted on all nodes. It grows volumes on request and deletes those whose claim is deleted. Snapshots
 * of a volume are copies of its file, from which new volumes can be made.
 */
export async function startProvisioner(
  kubeconfig: string,
  directory: string,
  nodes: readonly Node[],
): Promise<void> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  await config.makeApiClient(StorageV1Api).createStorageClass({
    body: {
      metadata: { name: STORAGE_CLASS },
      provisioner: PROVISIONER,
      volumeBindingMode: "WaitForFirstConsumer",
      allowVolumeExpansion: true,
      reclaimPolicy: "Delete",
    },
  });
  await defineSnapshots(config);
  await config.makeApiClient(CustomObjectsApi).createClusterCustomObject({
    ...SNAPSHOT_API,
    plural: "volumesnapshotclasses",
    body: {
      apiVersion: `${SNAPSHOT_API.group}/${SNAPSHOT_API.version}`,
      kind: "VolumeSnapshotClass",
      metadata: { name: SNAPSHOT_CLASS },
      driver: PROVISIONER,
      deletionPolicy: "Delete",
    },
  });
  const volumes = new LoopVolumes(config, directory, nodes);
  await mkdir(volumes.directory);
  void watchAll(config, "api/v1/persistentvolumeclaims", async (claim: V1PersistentVolumeClaim, isGone) => {
    if (!isGone) await volumes.claimed(claim);
  });
  void watchAll(config, "api/v1/persistentvolumes", async (volume: V1PersistentVolume, isGone) => {
    if (!isGone) await volumes.changed(volume);
  });
  const { group, version } = SNAPSHOT_API;
  void watchAll(config, `apis/${group}/${version}/volumesnapshots`, (snapshot: Snapshot, isGone) =>
    isGone ? volumes.forgotten(snapshot) : volumes.frozen(snapshot),
  );
}

/**
 * Calls `take` for each existing object and each change. A failed call is retried, since the watch reports an
 * event only once.
 */
async function watchAll<T extends { metadata?: { uid?: string } }>(
  config: KubeConfig,
  path: string,
  take: (object: T, isGone: boolean) => Promise<void>,
): Promise<void> {
  const last = new Map<string, Promise<void>>();
  const patiently = async (object: T, isGone: boolean) => {
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const error = await take(object, isGone).then(
        () => null,
        (reason: unknown) => reason,
      );
      if (error === null) return;
      console.error(error);
      await delay(BUSY_MS * tries);
    }
  };
  for (;;) {
    const ended = Promise.withResolvers<void>();
    await new Watch(config).watch(
      `/${path}`,
      {},
      (type: string, object: T) => {
        if (!["ADDED", "MODIFIED", "DELETED"].includes(type)) return;
        const uid = object.metadata?.uid ?? "";
        last.set(
          uid,
          (last.get(uid) ?? Promise.resolve()).then(() => patiently(object, type === "DELETED")),
        );
      },
      () => ended.resolve(),
    );
    await ended.promise;
    await delay(BUSY_MS);
  }
}

class LoopVolumes {
  readonly directory: string;
  readonly #api: CoreV1Api;
  readonly #objects: CustomObjectsApi;
  readonly #nodes: readonly Node[];
  /** The volumes made so far: a claim is reported again before its volume is bound. */
  readonly #made = new Set<string>();

  constructor(config: KubeConfig, root: string, nodes: readonly Node[]) {
    this.#api = config.makeApiClient(CoreV1Api);
    this.#objects = config.makeApiClient(CustomObjectsApi);
    this.#nodes = nodes;
    this.directory = join(root, "volumes");
  }

  async claimed(claim: V1PersistentVolumeClaim): Promise<void> {
    const { metadata, spec, status } = claim;
    if (spec?.storageClassName !== STORAGE_CLASS || metadata?.deletionTimestamp !== undefined) return;
    const bytes = bytesOf(spec.resources?.requests?.storage);
    if (status?.phase === "Pending") {
      if (metadata?.annotations?.["volume.kubernetes.io/selected-node"] !== undefined)
        await this.#make(claim, bytes);
    } else if (bytesOf(status?.capacity?.storage) < bytes) await this.#grow(claim, bytes);
  }

  async changed({ metadata, status, spec }: V1PersistentVolume): Promise<void> {
    const name = metadata?.name ?? "";
    if (spec?.storageClassName !== STORAGE_CLASS || status?.phase !== "Released") return;
    const image = `${this.#path(name)}.img`;
    if (!existsSync(image)) return;
    await this.#unmount(name);
    await rm(image);
    await this.#api.deletePersistentVolume({ name });
  }

  async frozen({ metadata, spec, status }: Snapshot): Promise<void> {
    const { name, namespace, uid } = metadata;
    if (spec.volumeSnapshotClassName !== SNAPSHOT_CLASS || status !== undefined) return;
    const place = { namespace, name: spec.source.persistentVolumeClaimName };
    const claim = await this.#api.readNamespacedPersistentVolumeClaim(place);
    const path = this.#path(claim.spec?.volumeName ?? "");
    await this.#inNodes("fsfreeze", "--freeze", path);
    try {
      await copySparse(`${path}.img`, this.#snapshotPath(uid));
    } finally {
      await this.#inNodes("fsfreeze", "--unfreeze", path);
    }
    await this.#objects.patchNamespacedCustomObjectStatus({
      ...{ ...SNAPSHOT_API, plural: "volumesnapshots", namespace, name },
      body: [
        {
          op: "add",
          path: "/status",
          value: {
            boundVolumeSnapshotContentName: `snapcontent-${uid}`,
            creationTime: new Date().toISOString(),
            readyToUse: true,
            restoreSize: claim.status?.capacity?.storage ?? "0",
          },
        },
      ],
    });
  }

  async forgotten({ metadata }: Snapshot): Promise<void> {
    await rm(this.#snapshotPath(metadata.uid), { force: true });
  }

  /** Creates the filesystem of a volume, empty or from a snapshot. */
  async #fill({ metadata, spec }: V1PersistentVolumeClaim, image: string, bytes: number): Promise<void> {
    const { kind, name = "" } = spec?.dataSource ?? {};
    if (kind !== "VolumeSnapshot") {
      await writeFile(image, "");
      await truncate(image, sizeOfImage(bytes));
      await run("mkfs.ext4", ["-q", "-m", "0", "-i", "4096", "-O", "^has_journal", image]);
      return;
    }
    const place = { ...SNAPSHOT_API, plural: "volumesnapshots", namespace: metadata?.namespace ?? "", name };
    const snapshot: Snapshot = await this.#objects.getNamespacedCustomObject(place);
    await copySparse(this.#snapshotPath(snapshot.metadata.uid), image);
    await truncate(image, sizeOfImage(bytes));
    // The snapshot was taken in use, so e2fsck repairs it and exits with 1.
    await run("e2fsck", ["-f", "-p", image]).catch(({ code }) => {
      if (code !== 1) throw new Error(`e2fsck of a snapshot: ${code}`);
    });
    await run("resize2fs", [image]);
  }

  async #make(asked: V1PersistentVolumeClaim, bytes: number): Promise<void> {
    const { metadata } = asked;
    const name = `pvc-${metadata?.uid}`;
    if (this.#made.has(name)) return;
    const path = this.#path(name);
    await this.#fill(asked, `${path}.img`, bytes);
    await mkdir(path, { recursive: true });
    await this.#inNodes("mount", "-o", "loop", `${path}.img`, path);
    const claimRef = { kind: "PersistentVolumeClaim", apiVersion: "v1" };
    const names = this.#nodes.map(({ name: node }) => node);
    const { namespace = "", name: claim = "", uid = "" } = metadata ?? {};
    await this.#create({
      metadata: { name, annotations: { "pv.kubernetes.io/provisioned-by": PROVISIONER } },
      spec: {
        capacity: { storage: String(bytes) },
        accessModes: ["ReadWriteOnce"],
        persistentVolumeReclaimPolicy: "Delete",
        storageClassName: STORAGE_CLASS,
        claimRef: { ...claimRef, namespace, name: claim, uid },
        local: { path },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: names }] },
            ],
          },
        },
      },
    });
    this.#made.add(name);
  }

  /** Retries while the API server is unavailable. */
  async #create(body: V1PersistentVolume): Promise<void> {
    for (let isMade = false; !isMade; )
      isMade = await this.#api.createPersistentVolume({ body }).then(
        () => true,
        async ({ code }) => code === 409 || (await delay(BUSY_MS, false)),
      );
  }

  /**
   * Grows a volume. The claim is read again, since the reported one may be outdated and another pod may have
   * mounted the volume since.
   */
  async #grow({ metadata }: V1PersistentVolumeClaim, bytes: number): Promise<void> {
    const { namespace = "", name = "", uid } = metadata ?? {};
    const claim = await this.#api.readNamespacedPersistentVolumeClaim({ name, namespace });
    if (bytesOf(claim.status?.capacity?.storage) >= bytes) return;
    const volume = `pvc-${uid}`;
    const path = this.#path(volume);
    await this.#unmount(volume);
    // The node unmounts the volume a moment after its pod has ended.
    for (let busy = true; busy; busy = await isInUse(`${path}.img`)) await delay(BUSY_MS);
    await truncate(`${path}.img`, sizeOfImage(bytes));
    await run("e2fsck", ["-f", "-n", `${path}.img`]);
    await run("resize2fs", [`${path}.img`]);
    await this.#inNodes("mount", "-o", "loop", `${path}.img`, path);
    const storage = String(bytes);
    const body = [{ op: "replace", path: "/spec/capacity/storage", value: storage }];
    await this.#api.patchPersistentVolume({ name: volume, body });
    const status = [{ op: "replace", path: "/status/capacity/storage", value: storage }];
    await this.#api.patchNamespacedPersistentVolumeClaimStatus({ name, namespace, body: status });
  }

  /** Unmounts a volume from each node that has it mounted. */
  async #unmount(volume: string): Promise<void> {
    const path = this.#path(volume);
    await this.#inNodes("sh", "-c", 'if mountpoint -q "$0"; then umount "$0"; fi', path);
  }

  #snapshotPath(uid: string): string {
    return join(this.directory, `snapshot-${uid}.img`);
  }

  #path(volume: string): string {
    return join(this.directory, volume);
  }

  /**
   * Runs a command in the mount namespace of each node, which no other process shares. A lost node has none,
   * and is skipped.
   */
  async #inNodes(...command: string[]): Promise<void> {
    for (const { directory } of this.#nodes) {
      const pid = (await readFile(join(directory, "containerd.pid"), "utf8")).trim();
      if (existsSync(`/proc/${pid}/ns/mnt`))
        await run("nsenter", [`--mount=/proc/${pid}/ns/mnt`, ...command]);
    }
  }
}

async function copySparse(from: string, to: string): Promise<void> {
  await run("cp", ["--sparse=always", "--reflink=auto", from, to]);
}

async function isInUse(image: string): Promise<boolean> {
  return (await run("losetup", ["-n", "-O", "NAME", "-j", image])).stdout.trim() !== "";
}

/**
 * Returns the size of the image for a volume. Ext4's own metadata takes a part: a sixteenth for inodes, and a
 * little more.
 */
function sizeOfImage(bytes: number): number {
  return bytes + Math.ceil(bytes / 16) + 3.5 * 2 ** 20;
}

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  k: 1e3,
  M: 1e6,
  G: 1e9,
};

function bytesOf(quantity = "0"): number {
  const [, count = "0", unit = ""] = /^(\d+)(\w*)$/.exec(quantity) ?? [];
  return Number(count) * (UNITS[unit] ?? Number.NaN);
}
