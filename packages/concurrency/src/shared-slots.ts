import { LeastRecent } from "./least-recent.ts";
import type { Release } from "./semaphore.ts";

/** Who asks: slots are shared among groups first, and within a group among its members. */
export interface Share {
  group: string;
  member: string;
}

interface Waiting extends Share {
  grant(): void;
}

/**
 * At most `slots` holders at once. A free slot goes to the group whose last one is the longest ago, in it to the member, and of those to
 * the request that came first. So a request waits for one slot for each other group and member that waits, however many requests they
 * have.
 */
export class SharedSlots {
  readonly #slots: number;
  readonly #granted = new LeastRecent();
  #waiting: Waiting[] = [];
  #held = 0;

  constructor(slots: number) {
    this.#slots = slots;
  }

  /** Resolves when a slot is held. */
  async acquire(share: Share): Promise<Release> {
    if (this.#held < this.#slots) this.#note(share);
    else await new Promise<void>((grant) => this.#waiting.push({ ...share, grant }));
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#held -= 1;
      this.#grantNext();
    };
  }

  get free(): number {
    return this.#slots - this.#held;
  }

  /** How many requests wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  #grantNext(): void {
    const [first, ...others] = this.#waiting;
    if (first === undefined) return;
    const next = others.reduce((best, one) => (this.#isBefore(one, best) ? one : best), first);
    this.#waiting = this.#waiting.filter((one) => one !== next);
    this.#note(next);
    next.grant();
  }

  #isBefore(one: Share, other: Share): boolean {
    const byGroup = this.#granted.last(one.group) - this.#granted.last(other.group);
    return byGroup !== 0 ? byGroup < 0 : this.#lastOfMember(one) < this.#lastOfMember(other);
  }

  #lastOfMember({ group, member }: Share): number {
    return this.#granted.last(`${group} ${member}`);
  }

  #note({ group, member }: Share): void {
    this.#held += 1;
    this.#granted.served(group);
    this.#granted.served(`${group} ${member}`);
  }
}
