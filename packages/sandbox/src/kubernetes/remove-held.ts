import type { V1Pod } from "@kubernetes/client-node";
import type { Cluster, PodId } from "./cluster.ts";
import { EPOCH } from "./pod-body.ts";

/** Returns the epoch of the lease that holds a pod; 0 when it belongs to no session. */
export function epochOf({ metadata }: V1Pod): number {
  return Number(metadata?.labels?.[EPOCH] ?? 0);
}

/** Removes a pod that is held under this epoch, but not one that a later lease has taken. */
export async function removeHeld(
  cluster: Cluster,
  { name, uid }: PodId,
  epoch: number,
  isEmpty: boolean,
): Promise<void> {
  for (;;) {
    const pod = await cluster.pod(name);
    if (pod?.metadata?.uid !== uid || epochOf(pod) !== epoch) return;
    if (await cluster.removePod(pod, isEmpty)) return;
  }
}
