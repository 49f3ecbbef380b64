/** Records the order in which names were served, so that the least recently served name can be next. */
export class LeastRecent {
  readonly #max: number;
  /** Names in the order in which they were last served. */
  readonly #served = new Map<string, number>();
  #count = 0;

  /** @param max Names that are remembered. The oldest are forgotten and count as never served. */
  constructor(max = 10_000) {
    this.#max = max;
  }

  served(name: string): void {
    this.#count += 1;
    this.#served.delete(name);
    this.#served.set(name, this.#count);
    const [oldest] = this.#served.keys();
    if (this.#served.size > this.#max && oldest !== undefined) this.#served.delete(oldest);
  }

  /** Returns a number that grows with each call of `served`, or 0 for a name that was never served. */
  last(name: string): number {
    return this.#served.get(name) ?? 0;
  }
}
