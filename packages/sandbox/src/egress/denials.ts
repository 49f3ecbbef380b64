import type { EgressDenied } from "../sandbox.ts";

const quietMilliseconds = 1000;
const maximumHosts = 1000;

/** Tells each refusal once per distinct host within a second, however often a program tries. */
export class Denials {
  readonly #tell: (denied: EgressDenied) => void;
  readonly #toldAt = new Map<string, number>();

  constructor(tell: (denied: EgressDenied) => void) {
    this.#tell = tell;
  }

  add(denied: EgressDenied): void {
    const now = performance.now();
    const before = this.#toldAt.get(denied.host);
    if (before !== undefined && now - before < quietMilliseconds) return;
    if (this.#toldAt.size >= maximumHosts) this.#toldAt.clear();
    this.#toldAt.set(denied.host, now);
    this.#tell(denied);
  }
}
