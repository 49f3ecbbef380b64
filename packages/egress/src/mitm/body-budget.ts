/** Bytes of request bodies that one owner may have buffered at a time. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Thrown when the owner's budget for buffered bodies is exhausted. */
export class BodyBudgetExceeded extends Error {
  override readonly name = "BodyBudgetExceeded";
}

const used = new WeakMap<object, number>();

/** One request's share of the memory that an owner's buffered request bodies may use. */
export class BodyBudget {
  readonly #owner: object;
  #own = 0;

  constructor(owner: object) {
    this.#owner = owner;
  }

  /** Reserves bytes. @throws BodyBudgetExceeded */
  take(bytes: number): void {
    const all = (used.get(this.#owner) ?? 0) + bytes;
    if (all > MAX_BYTES) throw new BodyBudgetExceeded("Too many bodies are on their way at once.");
    used.set(this.#owner, all);
    this.#own += bytes;
  }

  /** Releases all reserved bytes. Idempotent. */
  release(): void {
    used.set(this.#owner, (used.get(this.#owner) ?? 0) - this.#own);
    this.#own = 0;
  }
}
