import type { V1Pod } from "@kubernetes/client-node";

/**
 * The phases of a pod until its processes run: it has no node; its node prepares images and volumes; its
 * containers run.
 */
export type PodPhase = "placing" | "preparing" | "starting";

/**
 * Returns the phase of a pod. It is decided by the next init container, since these run one after another,
 * and then by all others.
 */
export function phaseOf({ spec, status }: V1Pod): PodPhase {
  if ((spec?.nodeName ?? "") === "") return "placing";
  const { initContainerStatuses: first = [], containerStatuses: others = [] } = status ?? {};
  const next = first.find(({ state }) => state?.terminated === undefined);
  const needed = next === undefined ? others : [next];
  const run = needed.filter(({ state }) => (state?.running ?? state?.terminated) !== undefined);
  return needed.length > 0 && run.length === needed.length ? "starting" : "preparing";
}

/** Measures how long a pod has been in each phase, which it may enter more than once. */
export class PhaseClock {
  readonly #now: () => number;
  readonly #spent: Record<PodPhase, number> = { placing: 0, preparing: 0, starting: 0 };
  #phase: PodPhase = "placing";
  #since: number;
  #waitsSince: number;

  /** @param now Returns milliseconds. Default: `performance.now`. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#since = now();
    this.#waitsSince = this.#since;
  }

  enter(phase: PodPhase): void {
    if (phase === this.#phase) return;
    const now = this.#now();
    this.#spent[this.#phase] += now - this.#since;
    if (this.#phase === "starting") this.#waitsSince = now;
    this.#phase = phase;
    this.#since = now;
  }

  get phase(): PodPhase {
    return this.#phase;
  }

  /** Milliseconds in the current phase, including earlier times in it. */
  get spentMs(): number {
    return this.#spent[this.#phase] + this.#now() - this.#since;
  }

  /** Milliseconds that the pod has waited without interruption; 0 while its containers run. */
  get waitedMs(): number {
    return this.#phase === "starting" ? 0 : this.#now() - this.#waitsSince;
  }
}
