export interface BodyBudgetOptions {
  /** Bytes in all. */
  bytes: number;
  /** Bytes of one owner, such as a client's network. With fewer than `bytes`, one owner can never take them all. */
  perOwner: number;
}

/** What bodies that are being received may hold in memory together. */
export class BodyBudget {
  readonly #perOwner: number;
  readonly #held = new Map<string, number>();
  #free: number;

  constructor({ bytes, perOwner }: BodyBudgetOptions) {
    this.#free = bytes;
    this.#perOwner = perOwner;
  }

  /** A share for one body of an owner. */
  share(owner: string): BodyShare {
    let held = 0;
    const add = (bytes: number) => {
      held += bytes;
      this.#free -= bytes;
      const all = (this.#held.get(owner) ?? 0) + bytes;
      if (all === 0) this.#held.delete(owner);
      else this.#held.set(owner, all);
    };
    return {
      take: (bytes) => {
        const fits = bytes <= this.#free && bytes <= this.#perOwner - (this.#held.get(owner) ?? 0);
        if (fits) add(bytes);
        return fits;
      },
      release: () => add(-held),
    };
  }
}

export interface BodyShare {
  /** Holds so many bytes more; false, and none, if they do not fit. */
  take(bytes: number): boolean;
  /** Gives back all of them. */
  release(): void;
}
