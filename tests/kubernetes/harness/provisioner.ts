import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import {
  CoreV1Api,
  KubeConfig,
  StorageV1Api,
  type V1PersistentVolume,
  type V1PersistentVolumeClaim,
  Watch,
} from "@kubernetes/client-node";

const run = promisify(execFile);
const PROVISIONER = "berth.test/loop";
const BUSY_MS = 100;
const MAX_TRIES = 20;
export const STORAGE_CLASS = "berth-test";

/** A node of this machine. */
export interface Node {
  name: string;
  /** The directory in which it was started. */
  directory: string;
}

/**
 * Gives each claim of the class a volume of exactly its size: an ext4 filesystem in a file, mounted where all nodes see it. A claim
 * that asks for more later gets that; a volume whose claim is deleted is deleted.
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
  const volumes = new LoopVolumes(config.makeApiClient(CoreV1Api), directory, nodes);
  await mkdir(volumes.directory);
  void watchAll(config, "persistentvolumeclaims", (claim: V1PersistentVolumeClaim) => volumes.claimed(claim));
  void watchAll(config, "persistentvolumes", (volume: V1PersistentVolume) => volumes.changed(volume));
}

/** Hands on each object that is there, or comes, or changes. What fails is tried again: nobody tells it once more. */
async function watchAll<T extends { metadata?: { uid?: string } }>(
  config: KubeConfig,
  kind: string,
  take: (object: T) => Promise<void>,
): Promise<void> {
  const last = new Map<string, Promise<void>>();
  const patiently = async (object: T) => {
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const error = await take(object).then(
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
      `/api/v1/${kind}`,
      {},
      (type: string, object: T) => {
        if (type !== "ADDED" && type !== "MODIFIED") return;
        const uid = object.metadata?.uid ?? "";
        last.set(
          uid,
          (last.get(uid) ?? Promise.resolve()).then(() => patiently(object)),
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
  readonly #nodes: readonly Node[];
  /** A claim changes again before its volume is bound to it. */
  readonly #made = new Set<string>();

  constructor(api: CoreV1Api, root: string, nodes: readonly Node[]) {
    this.#api = api;
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

  async #make({ metadata }: V1PersistentVolumeClaim, bytes: number): Promise<void> {
    const name = `pvc-${metadata?.uid}`;
    if (this.#made.has(name)) return;
    const path = this.#path(name);
    await mkdir(path, { recursive: true });
    await writeFile(`${path}.img`, "");
    await truncate(`${path}.img`, sizeOfImage(bytes));
    await run("mkfs.ext4", ["-q", "-m", "0", "-i", "4096", "-O", "^has_journal", `${path}.img`]);
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

  /** Asks again while the API server is away. */
  async #create(body: V1PersistentVolume): Promise<void> {
    for (let isMade = false; !isMade; )
      isMade = await this.#api.createPersistentVolume({ body }).then(
        () => true,
        async ({ code }) => code === 409 || (await delay(BUSY_MS, false)),
      );
  }

  /** What the watch told may be of before the last time, and another pod may have mounted the volume since. */
  async #grow({ metadata }: V1PersistentVolumeClaim, bytes: number): Promise<void> {
    const { namespace = "", name = "", uid } = metadata ?? {};
    const claim = await this.#api.readNamespacedPersistentVolumeClaim({ name, namespace });
    if (bytesOf(claim.status?.capacity?.storage) >= bytes) return;
    const volume = `pvc-${uid}`;
    const path = this.#path(volume);
    await this.#unmount(volume);
    // The node unmounts it from a pod that has ended a moment later.
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

  /** Where it is mounted. */
  async #unmount(volume: string): Promise<void> {
    const path = this.#path(volume);
    await this.#inNodes("sh", "-c", 'if mountpoint -q "$0"; then umount "$0"; fi', path);
  }

  #path(volume: string): string {
    return join(this.directory, volume);
  }

  /** In the mount namespace of each node, which no other process shares. One that is lost has none. */
  async #inNodes(...command: string[]): Promise<void> {
    for (const { directory } of this.#nodes) {
      const pid = (await readFile(join(directory, "containerd.pid"), "utf8")).trim();
      if (existsSync(`/proc/${pid}/ns/mnt`))
        await run("nsenter", [`--mount=/proc/${pid}/ns/mnt`, ...command]);
    }
  }
}

async function isInUse(image: string): Promise<boolean> {
  return (await run("losetup", ["-n", "-O", "NAME", "-j", image])).stdout.trim() !== "";
}

/** The filesystem's own tables take a part: a sixteenth for its inodes, and a little for the rest. */
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
