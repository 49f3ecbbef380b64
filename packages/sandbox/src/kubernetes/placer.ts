import type { V1Pod } from "@kubernetes/client-node";
import { SandboxError } from "../interface/errors.ts";
import type { LeasedSandbox } from "../interface/sandbox.ts";
import type { Cluster, PodId } from "./cluster.ts";
import { endPod } from "./end-pod.ts";
import { isGoing } from "./is-going.ts";
import { contentsOf, fits } from "./made-with.ts";
import { evictionNotes, withEvictionNotes } from "./note-eviction.ts";
import { OWNER, POOL, SANDBOX } from "./pod-body.ts";
import { hasEndedPart, isDead, isOutOfReach } from "./pod-status.ts";
import { epochOf, removeHeld } from "./remove-held.ts";

export interface TakenPod extends PodId {
  /** Whether the pod is new, not one of the pool or of an earlier lease, whose processes still run. */
  isNew: boolean;
  /** Digest of what was sent to it when it was made; see `contentsOf`. */
  contents: string;
}

/**
 * The pods of all sandboxes in a namespace: one for each disk, whichever process holds its session. The epoch
 * label of a pod names the lease that holds it. Only a later lease changes the label, and of two that try at
 * once, one succeeds.
 */
export class Placer {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /**
   * Takes the pod of this name from an earlier lease or the pool, or makes one. An existing pod can be taken
   * even when a quota allows no new one. An existing pod that does not fit is ended first.
   *
   * @throws SandboxError when a later lease holds the pod, or the existing one cannot be ended.
   */
  async take(body: V1Pod): Promise<TakenPod> {
    for (;;) {
      const former = await this.#cluster.pod(body.metadata?.name ?? "");
      if (former === null) {
        const made = await this.#cluster.createPod(withEvictionNotes(body));
        if (made === null) continue;
        return { ...made, isNew: true, contents: contentsOf(body) };
      }
      const taken = await this.#takeOver(former, body);
      if (taken === null) continue;
      if (fits(taken, body)) return { ...idOf(taken), isNew: false, contents: contentsOf(taken) };
      await endPod(this.#cluster, taken);
    }
  }

  /** Ends a pod that was taken but cannot be used, then takes one as `take` does. */
  async replace({ name }: PodId, body: V1Pod): Promise<TakenPod> {
    const pod = await this.#cluster.pod(name);
    if (pod !== null && epochOf(pod) === epochOf(body)) await endPod(this.#cluster, pod);
    return await this.take(body);
  }

  /**
   * Removes a pod, unless a later lease holds it. Its volume is kept.
   *
   * @param isEmpty Whether no process of it is left.
   */
  async remove(pod: PodId, epoch: number, isEmpty: boolean): Promise<void> {
    await removeHeld(this.#cluster, pod, epoch, isEmpty);
  }

  async list(): Promise<FoundPod[]> {
    return (await this.#cluster.pods(SANDBOX)).map((pod) => new FoundPod(pod));
  }

  /** Returns the pods of the pool that are not taken yet. */
  async pool(): Promise<FoundPod[]> {
    return (await this.#cluster.pods(`${OWNER}=${POOL}`)).map((pod) => new FoundPod(pod));
  }

  /** Labels a pod with the new lease. Returns null when the pod is gone, or was changed meanwhile. */
  async #takeOver(former: V1Pod, body: V1Pod): Promise<V1Pod | null> {
    if (epochOf(former) > epochOf(body))
      throw new SandboxError("a later lease has a sandbox of this session");
    return await this.#cluster.noteInPod(former, {
      labels: body.metadata?.labels ?? {},
      annotations: evictionNotes(body),
    });
  }
}

/** A pod of a sandbox, described by its labels. */
export class FoundPod implements LeasedSandbox, PodId {
  readonly name: string;
  readonly uid: string;
  readonly owner: string;
  readonly id: string;
  /** Epoch of its lease; 0 when it belongs to no session. */
  readonly epoch: number;
  readonly hasEnded: boolean;
  /** Whether all of it runs, as far as is known, and its node is reachable. */
  readonly serves: boolean;

  constructor(pod: V1Pod) {
    const labels = pod.metadata?.labels ?? {};
    this.name = pod.metadata?.name ?? "";
    this.uid = pod.metadata?.uid ?? "";
    this.owner = labels[OWNER] ?? "";
    this.id = labels[SANDBOX] ?? "";
    this.epoch = epochOf(pod);
    this.hasEnded = ["Failed", "Succeeded"].includes(pod.status?.phase ?? "");
    this.serves = !isGoing(pod) && !isDead(pod) && !hasEndedPart(pod) && !isOutOfReach(pod);
  }
}

function idOf({ metadata }: V1Pod): PodId {
  return { name: metadata?.name ?? "", uid: metadata?.uid ?? "" };
}
