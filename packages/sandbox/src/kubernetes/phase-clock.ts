import type { V1Pod } from "@kubernetes/client-node";

/** What a pod does until its processes run: it has no node yet; its node gets ready what it needs; its containers run. */
export type PodPhase = "placing" | "preparing" | "starting";

/** Of the init containers, which run one after another, the next one counts; then all others. */
export function phaseOf({ spec, status }: V1Pod): PodPhase {
  if ((spec?.nodeName ?? "") === "") return "placing";
  const { initContainerStatuses: first = [], containerStatuses: others = [] } = status ?? {};
  const next = first.find(({ state }) => state?.terminated === undefined);
  const needed = next === undefined ? others : [next];
  const run = needed.filter(({ state }) => (state?.running ?? state?.terminated) !== undefined);
  return needed.length > 0 && run.length === needed.length ? "starting" : "preparing";
}

/** How long a pod has been in each phase, into which it may come again. */
export class PhaseClock {
  readonly #now: () => number;
  readonly #spent: Record<PodPhase, number> = { placing: 0, preparing: 0, starting: 0 };
  #phase: PodPhase = "placing";
  #since: number;
  #waitsSince: number;

  /** @param now Milliseconds; default: of this process. */
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

  /** Milliseconds in the present phase, with those of before. */
  get spentMs(): number {
    return this.#spent[this.#phase] + this.#now() - this.#since;
  }

  /** For how long the pod has only waited, without a pause; 0 while its containers run. */
  get waitedMs(): number {
    return this.#phase === "starting" ? 0 : this.#now() - this.#waitsSince;
  }
}
