import { type Capability, degraded, no, yes } from "../interface/capability.ts";
import type { Cluster } from "./cluster.ts";

/** What the account of the service must be allowed in the namespace: the verbs by resource. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  pods: ["create", "get", "list", "watch", "patch", "delete"],
  "pods/exec": ["create", "get"],
  persistentvolumeclaims: ["create", "get", "list", "delete", "patch"],
  namespaces: ["get"],
};

/** What the cluster supports and lacks, as far as its API server tells. Never throws. */
export async function probeCluster(cluster: Cluster): Promise<Capability[]> {
  try {
    const version = await cluster.version();
    return [
      yes("cluster", `Sandboxes are pods in the namespace ${cluster.namespace} of Kubernetes ${version}.`),
      await rights(cluster),
      degraded(
        "limit_pids",
        "Processes are limited by the uid of a session, not by a control group. Set podPidsLimit of the kubelets for both.",
      ),
      yes("limit_memory", "Enforced by the limit of the pod's container."),
      yes("limit_cpu", "Enforced by the limit of the pod's container."),
      yes("limit_disk", "Each session has a volume of the size of its limit."),
    ];
  } catch (error) {
    return [no("cluster", `The API server does not answer: ${(error as Error).message.split("\n")[0]}`)];
  }
}

async function rights(cluster: Cluster): Promise<Capability> {
  const asked = Object.entries(RIGHTS).flatMap(([resource, verbs]) =>
    verbs.map(async (verb) => ((await cluster.may(verb, resource)) ? [] : [`${verb} ${resource}`])),
  );
  const missing = (await Promise.all(asked)).flat();
  return missing.length === 0
    ? yes("rights", "The account may do what sandboxes need in the namespace.")
    : no("rights", `The account may not ${missing.join(", ")} in the namespace: its Role lacks that.`);
}
