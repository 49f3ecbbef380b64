import { setTimeout as delay } from "node:timers/promises";
import type { V1Pod } from "@kubernetes/client-node";
import { SandboxError } from "../interface/errors.ts";
import type { Cluster } from "./cluster.ts";
import { PipeConnection } from "./pipe-connection.ts";
import { SERVER_CONTAINER, serverCommand } from "./pod-body.ts";
import { ProcessOne } from "./process-one.ts";

const GONE_TIMEOUT_MS = 90_000;
/** A node that is out of reach answers nothing. */
const INSIDE_TIMEOUT_MS = 10_000;
const LOOK_MS = 200;

/**
 * Ends the pod of another holder of the session's lease, whose connection to it ends first. Resolves when no process of it is left.
 *
 * @param epoch of the lease that is held now.
 * @throws SandboxError when that cannot be known: its node is out of reach.
 */
export async function endPodOfOther(cluster: Cluster, pod: V1Pod, epoch: number): Promise<void> {
  const { name = "", uid = "" } = pod.metadata ?? {};
  const id = { name, uid };
  const late = () => delay(INSIDE_TIMEOUT_MS, false, { ref: false });
  const inside = () => Promise.race([endInside(cluster, name, epoch), late()]);
  if (isDead(pod) || (await inside())) return await cluster.forgetPod(id);
  await cluster.removePod(id);
  const abort = AbortSignal.timeout(GONE_TIMEOUT_MS);
  while (!abort.aborted) {
    const now = await cluster.pod(name);
    if (now === null || now.metadata?.uid !== uid) return;
    if (isDead(now)) return await cluster.forgetPod(id);
    await delay(LOOK_MS);
  }
  throw new SandboxError(
    "the pod of a former sandbox does not end; if its node is lost, delete the node or the pod by force",
  );
}

/** By its own process 1. False when that does not happen. */
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

/** Whether the API server knows that no process of it runs. */
function isDead({ spec, status }: V1Pod): boolean {
  const { phase, containerStatuses = [] } = status ?? {};
  if (phase === "Failed" || phase === "Succeeded" || spec?.nodeName === undefined) return true;
  return (
    containerStatuses.length > 0 && containerStatuses.every(({ state }) => state?.terminated !== undefined)
  );
}
