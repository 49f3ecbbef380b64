import type { V1Pod } from "@kubernetes/client-node";
import { ImageError, SandboxError } from "../interface/errors.ts";
import { isGoing } from "./is-going.ts";
import { SANDBOX_CONTAINER } from "./pod-body.ts";
import { PodLostError } from "./pod-lost.ts";

/** What the kubelet says of an image that it will never have. */
const IMAGE_FAULTS = ["InvalidImageName", "ErrImageNeverPull"];
/** Of a container that was made and did not start: it is not started again. */
const START_FAULTS = ["RunContainerError", "ContainerCannotRun", "StartError"];

/** Why a node ends a pod, or does not admit it, that was given to it: another node may. */
const OF_NODE =
  /^(OutOf\w+|NodeAffinity|NodeShutdown|NodeLost|Shutdown|Terminated|Evicted|Preempting|Preempted|UnexpectedAdmissionError)$/;

/** @throws when the pod will never run. */
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

/** Why a pod waits, in the scheduler's words; empty when it does not. */
export function waitsFor({ status }: V1Pod): string {
  const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
  return scheduled?.status === "False" ? (scheduled.message ?? "") : "";
}

/** Whether the API server knows that no process of it runs. */
export function isDead({ spec, status }: V1Pod): boolean {
  const { phase, containerStatuses = [] } = status ?? {};
  if (phase === "Failed" || phase === "Succeeded" || spec?.nodeName === undefined) return true;
  return (
    containerStatuses.length > 0 && containerStatuses.every(({ state }) => state?.terminated !== undefined)
  );
}

/** Whether a container of it has ended. */
export function hasEndedPart({ status }: V1Pod): boolean {
  return status?.containerStatuses?.some(({ state }) => state?.terminated !== undefined) ?? false;
}

/** Whether its node says nothing any more: the cluster takes it for not ready then, though all of it ran. */
export function isOutOfReach({ status }: V1Pod): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const hasRun = status?.containerStatuses?.every(({ started, ready }) => started && ready) ?? false;
  return status?.phase === "Running" && hasRun && ready?.status !== "True";
}
