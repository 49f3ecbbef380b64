import type { CustomObjectsApi } from "@kubernetes/client-node";
import { orNull, unless } from "./api-status.ts";
import type { Cluster } from "./cluster.ts";

const API = { group: "snapshot.storage.k8s.io", version: "v1" };

export interface SnapshotObject {
  metadata: { name: string; labels?: Record<string, string>; deletionTimestamp?: string };
  spec: { volumeSnapshotClassName: string; source: { persistentVolumeClaimName: string } };
  /** Data that is written after `creationTime` is not in the snapshot. */
  status?: { readyToUse?: boolean; creationTime?: string; restoreSize?: string };
}

/** The calls for volume snapshots of a namespace. */
export class SnapshotObjects {
  readonly #api: CustomObjectsApi;
  readonly #place: typeof API & { namespace: string; plural: string };

  constructor(cluster: Cluster) {
    this.#api = cluster.customObjects();
    this.#place = { ...API, namespace: cluster.namespace, plural: "volumesnapshots" };
  }

  /** Creates a snapshot. @param isTried Whether this is a dry run, which creates nothing. */
  async create(object: SnapshotObject, isTried = false): Promise<void> {
    const body = { apiVersion: `${API.group}/${API.version}`, kind: "VolumeSnapshot", ...object };
    const dry = isTried ? { dryRun: "All" } : {};
    await this.#api.createNamespacedCustomObject({ ...this.#place, ...dry, body });
  }

  async find(name: string): Promise<SnapshotObject | null> {
    return await this.#api.getNamespacedCustomObject({ ...this.#place, name }).catch(orNull);
  }

  async list(labelSelector: string): Promise<SnapshotObject[]> {
    return (await this.#api.listNamespacedCustomObject({ ...this.#place, labelSelector })).items;
  }

  async remove(name: string): Promise<void> {
    await this.#api.deleteNamespacedCustomObject({ ...this.#place, name }).catch(unless(404));
  }

  /** Rejects with the API server's error when the class does not exist, or the account may not read it. */
  async readClass(name: string): Promise<void> {
    await this.#api.getClusterCustomObject({ ...API, plural: "volumesnapshotclasses", name });
  }
}

/** Returns the reference to a snapshot that is the source of a claim. */
export function snapshotSource(name: string) {
  return { apiGroup: API.group, kind: "VolumeSnapshot", name };
}
