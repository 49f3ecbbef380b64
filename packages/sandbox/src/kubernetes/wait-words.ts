import type { CoreV1Event, V1ContainerStatus, V1Pod } from "@kubernetes/client-node";
import { waitsFor } from "./pod-status.ts";

/** What the kubelet says when it could not get an image; it tries again by itself. */
const PULL_FAULTS = ["ErrImagePull", "ImagePullBackOff", "RegistryUnavailable", "ImageInspectError"];
const BACK_OFF = "ImagePullBackOff";
const MAX_LENGTH = 500;
const MINUTE_MS = 60_000;

/** An image that a node could not get yet. */
export interface PullFault {
  image: string;
  /** The kubelet's reason and message. */
  words: string;
}

/** @param former what was known before: while the kubelet pauses, it does not say why the attempt before failed. */
export function pullFault({ status }: V1Pod, former: PullFault | null): PullFault | null {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const failing = all.find(({ state }) => PULL_FAULTS.includes(state?.waiting?.reason ?? ""));
  if (failing === undefined) return null;
  const { image, state } = failing;
  const { reason = "", message = "" } = state?.waiting ?? {};
  if (reason === BACK_OFF && former?.image === image) return former;
  return { image, words: oneLine(message === "" ? reason : `${reason}: ${message}`) };
}

/** Why a pod has no node, in the scheduler's words. @param events about the pod. */
export function placeWords(pod: V1Pod, events: readonly CoreV1Event[]): string {
  const said = waitsFor(pod) || (newest(events)?.message ?? "");
  return said === "" ? "the scheduler has not placed it yet" : oneLine(said);
}

/** What a node does for a pod that has it, in the kubelet's words. @param events about the pod. */
export function nodeWords({ status }: V1Pod, events: readonly CoreV1Event[]): string {
  const { reason, message } = newest(events) ?? {};
  if (message !== undefined) return oneLine(`${reason}: ${message}`);
  const waiting = (one: V1ContainerStatus) => one.state?.waiting?.reason;
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.map(waiting).find((one) => one !== undefined) ?? "its node has said nothing yet";
}

/** `10 minutes`, `90 seconds`. */
export function durationWords(milliseconds: number): string {
  const isWhole = milliseconds % MINUTE_MS === 0;
  const count = isWhole ? milliseconds / MINUTE_MS : Math.round(milliseconds / 1_000);
  return `${count} ${isWhole ? "minute" : "second"}${count === 1 ? "" : "s"}`;
}

/** For a message of one sentence. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH - 1)}…`;
}

function newest(events: readonly CoreV1Event[]): CoreV1Event | undefined {
  return events.toSorted((one, other) => timeOf(one) - timeOf(other)).at(-1);
}

function timeOf({ lastTimestamp, eventTime, metadata }: CoreV1Event): number {
  const at = lastTimestamp ?? eventTime ?? metadata.creationTimestamp;
  return at === undefined ? 0 : new Date(at).getTime();
}
