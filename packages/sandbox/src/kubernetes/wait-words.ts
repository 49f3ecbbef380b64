import type { CoreV1Event, V1ContainerStatus, V1Pod } from "@kubernetes/client-node";
import { waitsFor } from "./pod-status.ts";

/** The kubelet's reasons when it could not get an image; it tries again by itself. */
const PULL_FAULTS = ["ErrImagePull", "ImagePullBackOff", "RegistryUnavailable", "ImageInspectError"];
const BACK_OFF = "ImagePullBackOff";
/**
 * The kubelet's reasons when it could not make a container, for example because a ConfigMap is missing; it
 * tries again by itself.
 */
const CREATE_FAULTS = ["CreateContainerError", "CreateContainerConfigError"];
const MAX_LENGTH = 500;
const MINUTE_MS = 60_000;

/** An image that a node could not get yet. */
export interface PullFault {
  image: string;
  /** The kubelet's reason and message. */
  words: string;
}

/**
 * Returns why a pod's image could not be pulled; null when that is not the case.
 *
 * @param former The previous result, which is kept while the kubelet backs off, because its status then lacks
 * the reason.
 */
export function pullFault(pod: V1Pod, former: PullFault | null): PullFault | null {
  const failing = waitingFor(pod, PULL_FAULTS);
  if (failing === undefined) return null;
  const { image, state } = failing;
  if (state?.waiting?.reason === BACK_OFF && former?.image === image) return former;
  return { image, words: stateWords(failing) };
}

/**
 * Returns why a pod has no node, in the scheduler's words; empty when it has said nothing.
 *
 * @param events Events of the pod.
 */
export function schedulerWords(pod: V1Pod, events: readonly CoreV1Event[]): string {
  return oneLine(waitsFor(pod) || (newest(events)?.message ?? ""));
}

/** Returns what the node is doing for the pod, in the kubelet's words. @param events Events of the pod. */
export function nodeWords(pod: V1Pod, events: readonly CoreV1Event[]): string {
  const failing = waitingFor(pod, CREATE_FAULTS);
  if (failing !== undefined) return stateWords(failing);
  const { reason, message } = newest(events) ?? {};
  if (message !== undefined) return oneLine(`${reason}: ${message}`);
  const waiting = containersOf(pod).map(({ state }) => state?.waiting?.reason);
  return waiting.find((one) => one !== undefined) ?? "its node has said nothing yet";
}

/** Formats a duration, such as `10 minutes` or `90 seconds`. */
export function durationWords(milliseconds: number): string {
  const isWhole = milliseconds % MINUTE_MS === 0;
  const count = isWhole ? milliseconds / MINUTE_MS : Math.round(milliseconds / 1_000);
  return `${count} ${isWhole ? "minute" : "second"}${count === 1 ? "" : "s"}`;
}

/** Joins a text to one line of at most 500 characters. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH - 1)}…`;
}

function containersOf({ status }: V1Pod): V1ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

function waitingFor(pod: V1Pod, reasons: readonly string[]): V1ContainerStatus | undefined {
  return containersOf(pod).find(({ state }) => reasons.includes(state?.waiting?.reason ?? ""));
}

function stateWords({ state }: V1ContainerStatus): string {
  const { reason = "", message = "" } = state?.waiting ?? {};
  return oneLine(message === "" ? reason : `${reason}: ${message}`);
}

function newest(events: readonly CoreV1Event[]): CoreV1Event | undefined {
  return events.toSorted((one, other) => timeOf(one) - timeOf(other)).at(-1);
}

function timeOf({ lastTimestamp, eventTime, metadata }: CoreV1Event): number {
  const at = lastTimestamp ?? eventTime ?? metadata.creationTimestamp;
  return at === undefined ? 0 : new Date(at).getTime();
}
