import type { LimitName } from "./limit-names.ts";

/** Maximum age in milliseconds of an inexact count. */
const FRESH_MS = 2_000;
const MAX_KNOWN = 10_000;

/** A cache of what owners used when this process last counted, at most two seconds ago. */
export class RecentUse {
  readonly #now: () => number;
  readonly #known = new Map<string, { at: number; used: Promise<number> }>();

  /** @param now Returns milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Returns an owner's use.
   * @param count Queries the database; one query serves all calls within two seconds.
   */
  async of(ownerId: string, name: LimitName, count: () => Promise<number>): Promise<number> {
    const key = `${name} ${ownerId}`;
    const known = this.#known.get(key);
    if (known !== undefined && this.#now() - known.at < FRESH_MS) return await known.used;
    const asked = { at: this.#now(), used: count() };
    this.#known.delete(key);
    this.#known.set(key, asked);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    try {
      return await asked.used;
    } catch (error) {
      if (this.#known.get(key) === asked) this.#known.delete(key);
      throw error;
    }
  }
}
