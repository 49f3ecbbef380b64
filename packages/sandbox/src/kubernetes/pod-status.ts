import type { V1Pod } from "@kubernetes/client-node";
import { ImageError, PodLostError, SandboxError } from "../interface/errors.ts";
import { isGoing } from "./is-going.ts";
import { SANDBOX_CONTAINER } from "./pod-body.ts";

/** The kubelet's reasons for an image that it will never get. */
const IMAGE_FAULTS = ["InvalidImageName", "ErrImageNeverPull"];
/** The kubelet's reasons for a container that was made but did not start; it is not started again. */
const START_FAULTS = ["RunContainerError", "ContainerCannotRun", "StartError"];

/** Reasons with which a node ends or rejects a pod that another node may accept. */
const OF_NODE =
  /^(OutOf\w+|NodeAffinity|NodeShutdown|NodeLost|Shutdown|Terminated|Evicted|Preempting|Preempted|UnexpectedAdmissionError)$/;

/**
 * Throws when the pod will never run: `PodLostError` when a new pod may run, otherwise `ImageError` or
 * `SandboxError`.
 */
export function throwIfFailed(pod: V1Pod): void {
  if (isGoing(pod)) throw new PodLostError("the pod is being removed");
  const {
    phase,
    containerStatuses = [],
    initContainerStatuses = [],
    message,
    reason: why = "",
  } = pod.status ?? {};
  if (phase === "Failed" && OF_NODE.test(why))
    throw new PodLostError(`its node does not take the pod: ${why}`);
  for (const { name, state, image } of [...initContainerStatuses, ...containerStatuses]) {
    const { reason = "", message: why = "" } = state?.waiting ?? state?.terminated ?? {};
    if (IMAGE_FAULTS.includes(reason))
      throw new ImageError(`The image ${JSON.stringify(image)} cannot be run.`, { cause: why });
    const cannotStart = START_FAULTS.includes(reason);
    if (cannotStart && name === SANDBOX_CONTAINER)
      throw new ImageError(`The image ${JSON.stringify(image)} cannot be run.`, { cause: why });
    if (cannotStart) throw new SandboxError(`a container could not start: ${why}`);
  }
  if (phase === "Failed" || phase === "Succeeded")
    throw new SandboxError(`the pod ended: ${message ?? reasonsOf(pod)}`);
}

function reasonsOf(pod: V1Pod): string {
  const all = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  return all
    .flatMap(({ name, state }) =>
      state?.terminated ? [`${name} ${state.terminated.exitCode} ${state.terminated.message ?? ""}`] : [],
    )
    .join(", ");
}

/** Returns why a pod waits, in the scheduler's words; empty when it does not wait. */
export function waitsFor({ status }: V1Pod): string {
  const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
  return scheduled?.status === "False" ? (scheduled.message ?? "") : "";
}

/** Returns whether the API server knows that no process of the pod runs. */
export function isDead({ spec, status }: V1Pod): boolean {
  const { phase, containerStatuses = [] } = status ?? {};
  if (phase === "Failed" || phase === "Succeeded" || spec?.nodeName === undefined) return true;
  return (
    containerStatuses.length > 0 && containerStatuses.every(({ state }) => state?.terminated !== undefined)
  );
}

/** Returns whether a container of the pod has ended. */
export function hasEndedPart({ status }: V1Pod): boolean {
  return status?.containerStatuses?.some(({ state }) => state?.terminated !== undefined) ?? false;
}

/**
 * Returns whether the pod's node is silent. The cluster then reports the pod as not ready, although all
 * containers had started.
 */
export function isOutOfReach({ status }: V1Pod): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const hasRun = status?.containerStatuses?.every(({ started, ready }) => started && ready) ?? false;
  return status?.phase === "Running" && hasRun && ready?.status !== "True";
}
