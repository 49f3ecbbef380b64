import type { Draft } from "../history/log-entry.ts";

/** Appends the events that announce calls, and in the same write what is given to follow them. */
export type Announce = (results: readonly Draft[], start: Draft | null) => Promise<void>;

/** Milliseconds that an announcement waits for results. */
const MAX_WAIT_MS = 20;

/**
 * The one append that announces the calls of a response. When all of them began before it, it waits a little
 * for their results: a single durable write then has both, and the start of the next request.
 */
export class Announcement {
  readonly #announce: Announce;
  readonly #next: () => Draft | null;
  readonly #results: (Draft | undefined)[];
  readonly #made = Promise.withResolvers<void>();
  readonly #timer: NodeJS.Timeout | undefined;
  #missing: number;
  #isBegun = false;

  /**
   * @param count number of calls whose results it waits for. With 0 it is appended at once.
   * @param next returns the start of the next request, which follows the results if all are there; null for
   * none.
   */
  constructor(announce: Announce, count: number, next: () => Draft | null) {
    this.#announce = announce;
    this.#next = next;
    this.#results = new Array(count);
    this.#missing = count;
    // Each caller of `take` sees the error as well.
    this.#made.promise.catch(() => {});
    if (count === 0) this.#append();
    else this.#timer = setTimeout(() => this.#append(), MAX_WAIT_MS);
  }

  /** Resolves when the calls are in the log. Rejects when the append failed, or with the reason of `cancel`. */
  get made(): Promise<void> {
    return this.#made.promise;
  }

  /**
   * Offers the result of a call. Resolves, when the calls are in the log, with whether the result is there
   * too.
   */
  async take(index: number, result: Draft): Promise<boolean> {
    const isTaken = !this.#isBegun;
    if (isTaken) {
      this.#results[index] = result;
      this.#missing -= 1;
      if (this.#missing === 0) this.#append();
    }
    await this.#made.promise;
    return isTaken;
  }

  /** Appends nothing, unless the append has begun. */
  cancel(reason: unknown): void {
    clearTimeout(this.#timer);
    if (!this.#isBegun) this.#made.reject(reason);
    this.#isBegun = true;
  }

  #append(): void {
    clearTimeout(this.#timer);
    this.#isBegun = true;
    const results = this.#results.filter((result) => result !== undefined);
    const start = results.length > 0 && this.#missing === 0 ? this.#next() : null;
    this.#announce(results, start).then(this.#made.resolve, this.#made.reject);
  }
}
