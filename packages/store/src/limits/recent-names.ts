const MAX_NAMES = 10_000;

/** The last 10,000 different names that were added. */
export class RecentNames {
  readonly #names = new Set<string>();

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Adds a name; a known one becomes the newest. */
  add(name: string): void {
    this.#names.delete(name);
    this.#names.add(name);
    const [oldest] = this.#names;
    if (this.#names.size > MAX_NAMES && oldest !== undefined) this.#names.delete(oldest);
  }
}
