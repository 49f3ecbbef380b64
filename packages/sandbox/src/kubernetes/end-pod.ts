import { setTimeout as delay } from "node:timers/promises";
import type { V1Pod } from "@kubernetes/client-node";
import { SandboxError } from "../interface/errors.ts";
import type { Cluster } from "./cluster.ts";
import { PipeConnection } from "./pipe-connection.ts";
import { SERVER_CONTAINER, serverCommand } from "./pod-body.ts";
import { isDead } from "./pod-status.ts";
import { ProcessOne } from "./process-one.ts";
import { epochOf, removeHeld } from "./remove-held.ts";

const GONE_TIMEOUT_MS = 90_000;
/** Milliseconds; a node that is unreachable never responds. */
const INSIDE_TIMEOUT_MS = 10_000;
const LOOK_MS = 200;

/**
 * Ends a pod that this lease holds and another process used; the connection of that process ends first.
 * Resolves when no process of the pod is left, or a later lease holds it.
 *
 * @throws SandboxError when that is unknown, because its node is unreachable.
 */
export async function endPod(cluster: Cluster, pod: V1Pod): Promise<void> {
  const { name = "", uid = "" } = pod.metadata ?? {};
  const epoch = epochOf(pod);
  const remove = (isEmpty: boolean) => removeHeld(cluster, { name, uid }, epoch, isEmpty);
  const late = () => delay(INSIDE_TIMEOUT_MS, false, { ref: false });
  const inside = () => Promise.race([endInside(cluster, name, epoch), late()]);
  if (isDead(pod) || (await inside())) return await remove(true);
  await remove(false);
  const abort = AbortSignal.timeout(GONE_TIMEOUT_MS);
  while (!abort.aborted) {
    const now = await cluster.pod(name);
    if (now?.metadata?.uid !== uid || epochOf(now) !== epoch) return;
    if (isDead(now)) return await remove(true);
    await delay(LOOK_MS);
  }
  throw new SandboxError(
    "the pod of a former sandbox does not end; if its node is lost, delete the node or the pod by force",
  );
}

/** Ends the pod's processes through its process 1. Returns false when that fails. */
async function endInside(cluster: Cluster, pod: string, epoch: number): Promise<boolean> {
  try {
    const connection = await PipeConnection.open(
      await cluster.exec(pod, SERVER_CONTAINER, serverCommand(epoch)),
    );
    try {
      return await new ProcessOne(connection).end();
    } finally {
      connection.close();
    }
  } catch {
    return false;
  }
}
