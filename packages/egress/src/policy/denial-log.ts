import type { EgressDenied } from "./types.ts";

const quietMilliseconds = 1000;
const maximumHosts = 1000;

/**
 * Tells each refusal once per distinct host within a second, however often a program tries; and what was refused while
 * something ran, whoever was told of it before.
 */
export class Denials {
  readonly #tell: (denied: EgressDenied) => void;
  readonly #hosts = new Map<string, { denied: EgressDenied; toldAt: number; newest: number }>();
  #count = 0;

  constructor(tell: (denied: EgressDenied) => void) {
    this.#tell = tell;
  }

  add(denied: EgressDenied): void {
    const now = performance.now();
    const newest = ++this.#count;
    const before = this.#hosts.get(denied.host);
    if (before !== undefined && now - before.toldAt < quietMilliseconds) {
      this.#hosts.set(denied.host, { ...before, newest });
      return;
    }
    if (this.#hosts.size >= maximumHosts) this.#hosts.clear();
    this.#hosts.set(denied.host, { denied, toldAt: now, newest });
    this.#tell(denied);
  }

  /** Begins now; the answer tells what was refused since, each host once. It needs no end. */
  watch(): () => EgressDenied[] {
    const begun = this.#count;
    return () => {
      if (this.#count === begun) return [];
      return [...this.#hosts.values()].filter(({ newest }) => newest > begun).map(({ denied }) => denied);
    };
  }
}
