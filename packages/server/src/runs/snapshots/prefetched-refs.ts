import type { Look } from "./repository-snapshots.ts";

/** Whoever may read a repository is asked at this moment, and not before something that takes long. */
const FRESH_MS = 10_000;

/**
 * Looks that were begun ahead of their need, by the uuid of the resource. Each is taken once, and only while it is fresh: between
 * the two, layers of the system may be made or other repositories be cloned, and a credential be withdrawn.
 */
export class BegunLooks {
  readonly #looks = new Map<string, { at: number; look: Promise<Look> }>();
  readonly #now: () => number;

  /** @param now in milliseconds, of a clock that is never set. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  begin(resourceId: string, look: Promise<Look>): void {
    this.#looks.set(resourceId, { at: this.#now(), look });
  }

  /** Null where it is to be asked now. */
  take(resourceId: string): Promise<Look> | null {
    const begun = this.#looks.get(resourceId);
    this.#looks.delete(resourceId);
    return begun !== undefined && this.#now() - begun.at < FRESH_MS ? begun.look : null;
  }
}
