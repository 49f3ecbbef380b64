import { isStatus } from "./api-status.ts";
import type { Cluster } from "./cluster.ts";
import { DISK } from "./pod-body.ts";
import { ownerContainer } from "./pod-of-snapshot.ts";
import type { SnapshotObjects } from "./snapshot-objects.ts";

const VERBS = ["create", "get", "list", "delete"];
/** A name and a uid that no session has. */
const TRIED = { name: "berth-tried", uid: 65_532 };

interface Options {
  snapshotClass: string;
  serverImage: string;
  imagePullPolicy: string;
}

/**
 * Returns why disks cannot be made from snapshots, in a sentence for the operator, as far as the API server
 * reveals it. Returns null when they can. Creates nothing. A missing class is detected only when the account
 * may read the classes, which are cluster-wide.
 */
export async function snapshotFault(
  cluster: Cluster,
  objects: SnapshotObjects,
  { snapshotClass, ...image }: Options,
): Promise<string | null> {
  try {
    const missing = await missingRights(cluster);
    if (missing.length > 0)
      return `The account may not ${missing.join(", ")} volumesnapshots of snapshot.storage.k8s.io in the namespace: its Role lacks that.`;
    return (
      (await creationFault(objects, snapshotClass)) ??
      (await classFault(objects, snapshotClass)) ??
      (await podFault(cluster, image))
    );
  } catch (error) {
    return `Whether snapshots of volumes can be taken is not known: ${reasonOf(error)}.`;
  }
}

async function missingRights(cluster: Cluster): Promise<string[]> {
  const allowed = await Promise.all(
    VERBS.map((verb) => cluster.may(verb, "volumesnapshots", "snapshot.storage.k8s.io")),
  );
  return VERBS.filter((_, at) => !allowed[at]);
}

async function creationFault(
  objects: SnapshotObjects,
  volumeSnapshotClassName: string,
): Promise<string | null> {
  const source = { persistentVolumeClaimName: TRIED.name };
  const object = { metadata: { name: TRIED.name }, spec: { volumeSnapshotClassName, source } };
  return await objects.create(object, true).then(
    () => null,
    (error: unknown) =>
      isStatus(error, 404)
        ? "The cluster knows no VolumeSnapshots of snapshot.storage.k8s.io/v1."
        : `The cluster refuses a snapshot of a volume: ${reasonOf(error)}.`,
  );
}

async function classFault(objects: SnapshotObjects, name: string): Promise<string | null> {
  return await objects.readClass(name).then(
    () => null,
    (error: unknown) => {
      if (isStatus(error, 403)) return null;
      if (isStatus(error, 404))
        return `The cluster does not have the volume snapshot class ${JSON.stringify(name)}.`;
      throw error;
    },
  );
}

async function podFault(cluster: Cluster, image: Omit<Options, "snapshotClass">): Promise<string | null> {
  const owner = ownerContainer(TRIED.uid, image);
  const containers = [{ name: "sandbox", image: image.serverImage }];
  const volumes = [{ name: owner.volumeMounts?.[0]?.name ?? DISK, emptyDir: {} }];
  const spec = { initContainers: [owner], containers, volumes };
  return await cluster.tryPod({ metadata: { generateName: "berth-" }, spec }).then(
    () => null,
    (error: unknown) =>
      `The namespace admits no init container as root with CHOWN and DAC_OVERRIDE, by which a session gets the files of a snapshot: ${reasonOf(error)}.`,
  );
}

function reasonOf(error: unknown): string {
  return (error as Error).message.split("\n")[0]?.replace(/\.$/, "") ?? "";
}
