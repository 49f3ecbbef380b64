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
  /** False: it is one of an earlier lease, with the processes that ran there, or one of the pool. */
  isNew: boolean;
  /** Of what was sent to it when it was made; see `contentsOf`. */
  contents: string;
}

/**
 * The pods of all sandboxes in a namespace: one for each disk, whichever process holds its session. The label with the epoch says for which
 * lease a pod is, and only a later one changes it, which one of two that try it does.
 */
export class Placer {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /**
   * Takes the pod of its name that an earlier lease or the pool has, or makes one: what is there is taken also where a quota allows no other. What
   * is there and does not fit is ended first.
   *
   * @throws SandboxError when a later lease has one, or the former cannot be ended.
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

  /** Ends a pod that was taken and does not serve. As `take` otherwise. */
  async replace({ name }: PodId, body: V1Pod): Promise<TakenPod> {
    const pod = await this.#cluster.pod(name);
    if (pod !== null && epochOf(pod) === epochOf(body)) await endPod(this.#cluster, pod);
    return await this.take(body);
  }

  /** Removes a pod, unless a later lease has it. Its volume stays. @param isEmpty whether no process of it is left. */
  async remove(pod: PodId, epoch: number, isEmpty: boolean): Promise<void> {
    await removeHeld(this.#cluster, pod, epoch, isEmpty);
  }

  async list(): Promise<FoundPod[]> {
    return (await this.#cluster.pods(SANDBOX)).map((pod) => new FoundPod(pod));
  }

  /** Those that nobody has taken yet. */
  async pool(): Promise<FoundPod[]> {
    return (await this.#cluster.pods(`${OWNER}=${POOL}`)).map((pod) => new FoundPod(pod));
  }

  /** Null: it is gone, or was changed meanwhile. */
  async #takeOver(former: V1Pod, body: V1Pod): Promise<V1Pod | null> {
    if (epochOf(former) > epochOf(body))
      throw new SandboxError("a later lease has a sandbox of this session");
    return await this.#cluster.noteInPod(former, {
      labels: body.metadata?.labels ?? {},
      annotations: evictionNotes(body),
    });
  }
}

/** A pod of a sandbox, by its labels. */
export class FoundPod implements LeasedSandbox, PodId {
  readonly name: string;
  readonly uid: string;
  readonly owner: string;
  readonly id: string;
  /** 0: it belongs to no session. */
  readonly epoch: number;
  readonly hasEnded: boolean;
  /** All of it runs, as far as is known, and its node is there. */
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
