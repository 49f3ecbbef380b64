import { type Capability, no, yes } from "../interface/capability.ts";
import { RuntimeClassError } from "../interface/errors.ts";
import type { Cluster } from "./cluster.ts";

/** Checks that a runtime class is allowed. @throws RuntimeClassError when it is not. */
export function requireRuntimeClass(name: string | null | undefined, allowed: readonly string[]): void {
  if (name && !allowed.includes(name))
    throw new RuntimeClassError(
      `The runtime class ${JSON.stringify(name)} is not allowed on this installation.`,
    );
}

/**
 * Returns whether the cluster has the classes that environments may choose; nothing when there are none.
 * Never throws.
 */
export async function probeRuntimeClasses(cluster: Cluster, names: readonly string[]): Promise<Capability[]> {
  if (names.length === 0) return [];
  const faults = await Promise.all(names.map((name) => faultOf(cluster, name)));
  const told = faults.filter((fault) => fault !== null);
  return [
    told.length === 0
      ? yes("runtime_classes", `Environments may choose ${names.join(", ")}, which the cluster has.`)
      : no("runtime_classes", told.join(" ")),
  ];
}

/** Returns why the class cannot be used; null when it can. */
async function faultOf(cluster: Cluster, runtimeClassName: string): Promise<string | null> {
  const containers = [{ name: "sandbox", image: "none", securityContext: RESTRICTED }];
  try {
    await cluster.tryPod({ metadata: { generateName: "berth-" }, spec: { runtimeClassName, containers } });
    return null;
  } catch (error) {
    const why = (error as Error).message.split("\n")[0];
    return error instanceof RuntimeClassError
      ? error.message
      : `Whether the cluster has ${runtimeClassName} is not known: ${why}.`;
  }
}

/** The settings that the Pod Security Standard "restricted" requires of every pod. */
const RESTRICTED = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" },
};
