import { type Capability, degraded, no, yes } from "../interface/capability.ts";
import type { Cluster } from "./cluster.ts";

/** Verbs, by resource, that the service's account needs in the namespace. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  pods: ["create", "get", "list", "watch", "patch", "delete"],
  "pods/exec": ["create", "get"],
  persistentvolumeclaims: ["create", "get", "list", "delete", "patch"],
  namespaces: ["get"],
};

/** Verbs that the account needs to report why pods wait. */
const TOLD: Readonly<Record<string, readonly string[]>> = { events: ["list"] };

/** Returns what the cluster supports and lacks, as far as its API server reveals it. Never throws. */
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
  const [missing, untold] = await Promise.all([missingOf(cluster, RIGHTS), missingOf(cluster, TOLD)]);
  if (missing.length > 0)
    return no("rights", `The account may not ${missing.join(", ")} in the namespace: its Role lacks that.`);
  return untold.length === 0
    ? yes("rights", "The account may do what sandboxes need in the namespace.")
    : degraded(
        "rights",
        `The account may not ${untold.join(", ")} in the namespace: sessions that wait are told less of why.`,
      );
}

async function missingOf(cluster: Cluster, rights: typeof RIGHTS): Promise<string[]> {
  const asked = Object.entries(rights).flatMap(([resource, verbs]) =>
    verbs.map(async (verb) => ((await cluster.may(verb, resource)) ? [] : [`${verb} ${resource}`])),
  );
  return (await Promise.all(asked)).flat();
}
