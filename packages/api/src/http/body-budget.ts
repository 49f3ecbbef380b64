/** Maximum bytes of a body of an operation that needs no token. All are far smaller. */
export const OPEN_BODY_BYTES = 16_384;
/** Memory for all such bodies that a process is receiving, and for those of one network. */
export const OPEN_BODIES = { bytes: 512 * OPEN_BODY_BYTES, perOwner: 64 * OPEN_BODY_BYTES };

export interface BodyBudgetOptions {
  /** Bytes in total. */
  bytes: number;
  /** Bytes per owner, such as a client's network. Below `bytes`, one owner can never take them all. */
  perOwner: number;
}

/** Memory that bodies in transfer may use together. */
export class BodyBudget {
  readonly #perOwner: number;
  readonly #held = new Map<string, number>();
  #free: number;

  constructor({ bytes, perOwner }: BodyBudgetOptions) {
    this.#free = bytes;
    this.#perOwner = perOwner;
  }

  /** Creates the share of one body of an owner. */
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
  /** Takes so many bytes more. Returns false, and takes none, if they do not fit. */
  take(bytes: number): boolean;
  /** Returns all taken bytes to the budget. */
  release(): void;
}
