import type { CoreV1Event, V1Pod } from "@kubernetes/client-node";
import { ImageError, NoRoomError, SandboxError, WaitOverError } from "../interface/errors.ts";
import type { SandboxSpec, SandboxWait } from "../interface/spec.ts";
import type { Cluster, PodId } from "./cluster.ts";
import { PhaseClock, type PodPhase, phaseOf } from "./phase-clock.ts";
import { SANDBOX } from "./pod-body.ts";
import { throwIfFailed, waitsFor } from "./pod-status.ts";
import { PodRoom } from "./room.ts";
import { StartWait, TOLD_AFTER_MS } from "./start-wait.ts";
import { durationWords, nodeWords, type PullFault, pullFault, schedulerWords } from "./wait-words.ts";

/** Maximum waiting times of a pod, in milliseconds. */
export interface WaitTimes {
  /** Maximum until the pod has a node. */
  placeMs: number;
  /** Maximum from then until the node has its images and its volume. */
  imageMs: number;
}

/**
 * Milliseconds that the containers of a pod may run before the pod must be ready. Long, since many pods may start
 * on a busy node at once.
 */
const START_MS = 180_000;
const TICK_MS = 1_000;
/**
 * Extra milliseconds when the scheduler has not yet commented on the pod. It is busy then, and its reason is
 * worth the wait.
 */
const SILENT_MS = 20_000;
/** Minimum milliseconds between two reads of the pod's events. */
const EVENTS_MS = 5_000;

/**
 * Watches a pod while it starts, because the pod's own fault says more than a failed connection to it. Each
 * phase has its own time limit.
 */
export class PodStart {
  readonly #cluster: Cluster;
  readonly #pod: PodId;
  readonly #limits: Record<PodPhase, number>;
  readonly #clock = new PhaseClock();
  readonly #wait: StartWait;
  readonly #room: PodRoom;
  readonly #failed = Promise.withResolvers<never>();
  readonly #ending = new AbortController();
  readonly #ticking: NodeJS.Timeout;
  #seen: V1Pod = {};
  #pull: PullFault | null = null;
  #events: readonly CoreV1Event[] = [];
  #eventsAt = Number.NEGATIVE_INFINITY;
  #isLooking = false;

  /** @param spec `onWaiting` gets the waits, `makeRoom` frees room, and `signal` ends the start. */
  constructor(
    cluster: Cluster,
    pod: PodId,
    { placeMs, imageMs }: WaitTimes,
    { onWaiting, makeRoom, signal }: Pick<SandboxSpec, "onWaiting" | "makeRoom" | "signal">,
  ) {
    this.#cluster = cluster;
    this.#pod = pod;
    this.#limits = { placing: placeMs, preparing: imageMs, starting: START_MS };
    this.#wait = new StartWait(onWaiting);
    this.#room = new PodRoom(makeRoom, this.#ending.signal);
    this.#failed.promise.catch(() => {});
    this.#ticking = setInterval(() => void this.#tick(), TICK_MS);
    const stop = () => this.#fail(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    this.signal.addEventListener("abort", () => signal?.removeEventListener("abort", stop), { once: true });
    if (signal?.aborted) stop();
    cluster
      .watchPod(pod.name, this.signal, (seen) => this.#see(seen))
      .catch((error: unknown) => this.#fail(error));
  }

  /** Aborts when the pod will not start, or when watching has ended. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Whether the scheduler had no node for the pod when it was last seen. */
  get isUnplaced(): boolean {
    return waitsFor(this.#seen) !== "";
  }

  /** Resolves when an attempt to enter the pod may succeed: at once, unless the pod is known to wait. */
  async held(): Promise<void> {
    await this.#wait.held();
  }

  /** Returns the step's result. @throws the pod's fault, as soon as it is known. */
  async orFailed<T>(step: Promise<T>): Promise<T> {
    step.catch(() => {});
    return await Promise.race([step, this.#failed.promise]);
  }

  end(): void {
    clearInterval(this.#ticking);
    this.#ending.abort();
    this.#wait.over();
  }

  #fail(error: unknown): void {
    if (this.signal.aborted) return;
    this.#failed.reject(error);
    clearInterval(this.#ticking);
    this.#ending.abort(error);
    this.#wait.over();
  }

  #see(pod: V1Pod): null {
    this.#seen = pod;
    this.#pull = pullFault(pod, this.#pull);
    this.#room.saw(pod);
    throwIfFailed(pod);
    this.#clock.enter(phaseOf(pod));
    if (this.#clock.phase === "starting") this.#wait.over();
    return null;
  }

  async #tick(): Promise<void> {
    if (this.#isLooking || this.signal.aborted) return;
    this.#isLooking = true;
    try {
      if (await this.#isOver()) this.#fail(await this.#timeOver());
      else if (this.#clock.waitedMs > TOLD_AFTER_MS) {
        const wait = await this.#waits();
        if (wait !== null && !this.signal.aborted) this.#wait.is(wait);
      }
    } catch (error) {
      // The API server is unreachable or its response is useless; the next tick tries again.
      if (!(error instanceof Error)) throw error;
    } finally {
      this.#isLooking = false;
    }
  }

  async #isOver(): Promise<boolean> {
    const { phase, spentMs } = this.#clock;
    const lateMs = spentMs - this.#limits[phase];
    if (lateMs <= 0) return false;
    return phase !== "placing" || lateMs > SILENT_MS || (await this.#schedulerWords()) !== "";
  }

  /** Returns the current wait; null when the pod has left that phase meanwhile. */
  async #waits(): Promise<SandboxWait | null> {
    const { phase } = this.#clock;
    const [reason, othersRun] = [await this.#words(), phase === "placing" && (await this.#othersRun())];
    if (phase !== this.#clock.phase || phase === "starting") return null;
    return { for: phase === "placing" ? "place" : "image", reason, othersRun };
  }

  async #timeOver(): Promise<SandboxError> {
    const { phase } = this.#clock;
    if (phase === "starting") return new SandboxError("the pod did not start in time");
    const words = await this.#words();
    const within = `within ${durationWords(this.#limits[phase])}: ${words}`;
    const { isCrowded } = this.#room;
    if (phase === "placing" && isCrowded && (await this.#othersRun())) return new NoRoomError({ why: words });
    if (phase === "placing")
      return new WaitOverError(`No node of the cluster took the session's sandbox ${within}`);
    return this.#pull === null
      ? new WaitOverError(`The session's sandbox could not be made on its node ${within}`)
      : new ImageError(`The image ${JSON.stringify(this.#pull.image)} could not be pulled ${within}`);
  }

  async #words(): Promise<string> {
    if (this.#clock.phase === "placing")
      return (await this.#schedulerWords()) || "the scheduler has not placed it yet";
    return this.#pull?.words ?? nodeWords(this.#seen, await this.#lookAtEvents());
  }

  async #schedulerWords(): Promise<string> {
    return schedulerWords(this.#seen, this.isUnplaced ? [] : await this.#lookAtEvents());
  }

  async #lookAtEvents(): Promise<readonly CoreV1Event[]> {
    if (performance.now() - this.#eventsAt < EVENTS_MS) return this.#events;
    this.#events = await this.#cluster.eventsOf(this.#pod);
    this.#eventsAt = performance.now();
    return this.#events;
  }

  async #othersRun(): Promise<boolean> {
    return await this.#cluster.hasRunning(SANDBOX, this.#pod);
  }
}
