import type { Release } from "./semaphore.ts";

export interface FairSemaphoreOptions {
  /** Number of slots in total. */
  slots: number;
  /**
   * Maximum number of slots that one owner may hold at once. If it is less than `slots`, one owner can never
   * hold them all.
   */
  perOwner: number;
}

/**
 * A semaphore that grants slots round-robin by owner, so that one owner's queue cannot starve another's.
 * Requests of one owner are granted in order; after each grant that owner's queue goes to the end of the
 * round.
 */
export class FairSemaphore {
  readonly #perOwner: number;
  readonly #held = new Map<string, number>();
  readonly #queues = new Map<string, (() => void)[]>();
  #free: number;

  constructor({ slots, perOwner }: FairSemaphoreOptions) {
    this.#free = slots;
    this.#perOwner = perOwner;
  }

  /** Resolves once this owner holds a slot. */
  async acquire(owner: string): Promise<Release> {
    const granted = Promise.withResolvers<void>();
    this.#queues.set(owner, [...(this.#queues.get(owner) ?? []), granted.resolve]);
    this.#grantNext();
    await granted.promise;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#release(owner);
    };
  }

  /** Returns the number of this owner's waiting requests. */
  waiting(owner: string): number {
    return this.#queues.get(owner)?.length ?? 0;
  }

  #release(owner: string): void {
    this.#free += 1;
    const held = this.#held.get(owner) ?? 1;
    if (held === 1) this.#held.delete(owner);
    else this.#held.set(owner, held - 1);
    this.#grantNext();
  }

  /** Grants at most one slot: a single request or release never makes room for more. */
  #grantNext(): void {
    if (this.#free === 0) return;
    const next = [...this.#queues].find(([owner]) => (this.#held.get(owner) ?? 0) < this.#perOwner);
    if (next === undefined) return;
    const [owner, [grant, ...others]] = next;
    this.#free -= 1;
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + 1);
    this.#queues.delete(owner);
    if (others.length > 0) this.#queues.set(owner, others);
    grant?.();
  }
}
