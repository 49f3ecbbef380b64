import type { CustomObjectsApi } from "@kubernetes/client-node";
import { orNull, unless } from "./api-status.ts";
import type { Cluster } from "./cluster.ts";

const API = { group: "snapshot.storage.k8s.io", version: "v1" };

export interface SnapshotObject {
  metadata: { name: string; labels?: Record<string, string>; deletionTimestamp?: string };
  spec: { volumeSnapshotClassName: string; source: { persistentVolumeClaimName: string } };
  /** `creationTime`: what is written later is not in it. */
  status?: { readyToUse?: boolean; creationTime?: string; restoreSize?: string };
}

/** The calls for snapshots of the volumes of a namespace. */
export class SnapshotObjects {
  readonly #api: CustomObjectsApi;
  readonly #place: typeof API & { namespace: string; plural: string };

  constructor(cluster: Cluster) {
    this.#api = cluster.customObjects();
    this.#place = { ...API, namespace: cluster.namespace, plural: "volumesnapshots" };
  }

  /** @param isTried nothing is made. */
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

  /** Rejects as the API server does: also when the account may not read it. */
  async readClass(name: string): Promise<void> {
    await this.#api.getClusterCustomObject({ ...API, plural: "volumesnapshotclasses", name });
  }
}

/** As the source of a claim. */
export function snapshotSource(name: string) {
  return { apiGroup: API.group, kind: "VolumeSnapshot", name };
}
