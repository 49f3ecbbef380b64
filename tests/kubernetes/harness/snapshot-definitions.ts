import { ApiextensionsV1Api, type KubeConfig } from "@kubernetes/client-node";
import { waitUntil } from "../../acceptance/harness/wait-until.ts";

export const SNAPSHOT_API = { group: "snapshot.storage.k8s.io", version: "v1" } as const;
export const SNAPSHOT_CLASS = "berth-test";

const text = { type: "string" };
const snapshot = {
  type: "object",
  required: ["spec"],
  properties: {
    spec: {
      type: "object",
      required: ["source"],
      properties: {
        volumeSnapshotClassName: text,
        source: {
          type: "object",
          properties: { persistentVolumeClaimName: text, volumeSnapshotContentName: text },
        },
      },
    },
    status: {
      type: "object",
      properties: {
        boundVolumeSnapshotContentName: text,
        creationTime: { type: "string", format: "date-time" },
        readyToUse: { type: "boolean" },
        restoreSize: text,
        error: { type: "object", properties: { message: text, time: { ...text, format: "date-time" } } },
      },
    },
  },
};
const snapshotClass = {
  type: "object",
  required: ["driver", "deletionPolicy"],
  properties: {
    driver: text,
    deletionPolicy: { type: "string", enum: ["Delete", "Retain"] },
    parameters: { type: "object", additionalProperties: text },
  },
};

/**
 * Defines volume snapshots in an API server, with the fields that Berth and a driver use, and a snapshot
 * class.
 */
export async function defineSnapshots(config: KubeConfig): Promise<void> {
  await Promise.all([
    define(config, { kind: "VolumeSnapshot", scope: "Namespaced", schema: snapshot }),
    define(config, { kind: "VolumeSnapshotClass", scope: "Cluster", schema: snapshotClass }),
  ]);
}

async function define(
  config: KubeConfig,
  { kind, scope, schema }: { kind: string; scope: string; schema: object },
): Promise<void> {
  const api = config.makeApiClient(ApiextensionsV1Api);
  const plural = kind.endsWith("s") ? `${kind.toLowerCase()}es` : `${kind.toLowerCase()}s`;
  const { group, version: name } = SNAPSHOT_API;
  await api.createCustomResourceDefinition({
    body: {
      metadata: {
        name: `${plural}.${group}`,
        annotations: {
          "api-approved.kubernetes.io": "https://github.com/kubernetes-csi/external-snapshotter/pull/419",
        },
      },
      spec: {
        group,
        scope,
        names: { kind, plural, singular: kind.toLowerCase() },
        versions: [
          {
            ...{ name, served: true, storage: true, schema: { openAPIV3Schema: schema } },
            subresources: scope === "Namespaced" ? { status: {} } : {},
          },
        ],
      },
    },
  });
  await waitUntil(
    async () => {
      const { status } = await api.readCustomResourceDefinition({ name: `${plural}.${group}` });
      return status?.conditions?.some((one) => one.type === "Established" && one.status === "True") ?? false;
    },
    () => `${kind} is not known to the API server`,
  );
}
