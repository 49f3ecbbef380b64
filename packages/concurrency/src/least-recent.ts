/** Who was served when, so that the one who was served least recently, or never, can be next. */
export class LeastRecent {
  readonly #max: number;
  /** In the order of their last turn. */
  readonly #served = new Map<string, number>();
  #count = 0;

  /** @param max names that are remembered; the oldest are forgotten, and count as never served. */
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

  /** Grows with each turn; 0: never. */
  last(name: string): number {
    return this.#served.get(name) ?? 0;
  }
}
