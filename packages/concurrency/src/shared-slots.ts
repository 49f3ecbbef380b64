import { LeastRecent } from "./least-recent.ts";
import type { Release } from "./semaphore.ts";

/** The origin of a request. Slots are shared among groups first, and within a group among its members. */
export interface Share {
  group: string;
  member: string;
}

interface Waiting extends Share {
  grant(): void;
}

/**
 * A semaphore with `slots` slots that are shared fairly among groups.
 *
 * While one group holds more than three quarters of the slots, other groups may take up to a quarter more.
 * Slots that one group holds for long thus do not block the others. A group that holds three quarters gets no
 * further slot while other groups wait.
 *
 * A free slot goes to the group that got one least recently, then to such a member of it, then to the
 * earliest request. A request therefore waits for one slot for each other waiting group and member, however
 * many requests they have.
 */
export class SharedSlots {
  readonly #slots: number;
  readonly #granted = new LeastRecent();
  readonly #heldBy = new Map<string, number>();
  #waiting: Waiting[] = [];
  #held = 0;

  constructor(slots: number) {
    this.#slots = slots;
  }

  /** Resolves once a slot is held. */
  async acquire(share: Share): Promise<Release> {
    if (this.#held < this.#slots || this.#mayExceed(share)) this.#note(share);
    else await new Promise<void>((grant) => this.#waiting.push({ ...share, grant }));
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#held -= 1;
      this.#letGo(share.group);
      this.#grantNext();
    };
  }

  get free(): number {
    return Math.max(0, this.#slots - this.#held);
  }

  get held(): number {
    return this.#held;
  }

  /** The group that holds more than its share, or null when none does. */
  get dominant(): string | null {
    for (const [group, held] of this.#heldBy) if (held > this.#share) return group;
    return null;
  }

  /** The number of extra slots that groups other than the dominant one may hold. */
  get spare(): number {
    return Math.floor(this.#slots / 4);
  }

  /** The number of waiting requests. */
  get waiting(): number {
    return this.#waiting.length;
  }

  #grantNext(): void {
    const [first, ...others] = this.#eligible();
    if (first === undefined) return;
    const next = others.reduce((best, one) => (this.#isBefore(one, best) ? one : best), first);
    this.#waiting = this.#waiting.filter((one) => one !== next);
    this.#note(next);
    next.grant();
  }

  /** Returns the waiting requests that may get the next slot. */
  #eligible(): Waiting[] {
    if (this.#held >= this.#slots) return this.#waiting.filter((one) => this.#mayExceed(one));
    const others = this.#waiting.filter(({ group }) => this.#heldOf(group) < this.#share);
    return others.length > 0 ? others : this.#waiting;
  }

  #mayExceed({ group }: Share): boolean {
    const dominant = this.dominant;
    return dominant !== null && dominant !== group && this.#held < this.#slots + this.spare;
  }

  /** The maximum number of slots that a group can get while other groups wait. */
  get #share(): number {
    return Math.max(1, Math.floor((this.#slots * 3) / 4));
  }

  #letGo(group: string): void {
    const held = this.#heldOf(group) - 1;
    if (held === 0) this.#heldBy.delete(group);
    else this.#heldBy.set(group, held);
  }

  #heldOf(group: string): number {
    return this.#heldBy.get(group) ?? 0;
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
    this.#heldBy.set(group, this.#heldOf(group) + 1);
    this.#granted.served(group);
    this.#granted.served(`${group} ${member}`);
  }
}
