import type { SessionReads } from "../reads/session-reads.ts";

/**
 * Reads of the disk of a session that is held, beside the other work of its run. None begins while the
 * session is being released.
 */
export class HeldReads {
  readonly #reads = Promise.withResolvers<SessionReads>();
  readonly #hasEnded: () => Promise<void>;
  readonly #onDone: () => void;
  #running = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  /** Resolves with whether the session was released. */
  #releasing: Promise<boolean> | undefined;

  /**
   * @param hasEnded resolves when the session is no longer held.
   * @param onDone called when no read is left in progress.
   */
  constructor(hasEnded: () => Promise<void>, onDone: () => void) {
    this.#hasEnded = hasEnded;
    this.#onDone = onDone;
  }

  /** Provides the reads; calls of `answer` and `opened` wait for it. */
  begin(reads: SessionReads): void {
    this.#reads.resolve(reads);
  }

  get areRunning(): boolean {
    return this.#running > 0;
  }

  /** The time of the last read of the disk, by `performance.now()`. */
  get lastAt(): number {
    return this.#lastAt;
  }

  /** Answers the waiting reads. Resolves when that is done, or with false if the session is not held. */
  async answer(): Promise<boolean> {
    if (await this.#releasing?.catch(() => true)) return false;
    this.#running += 1;
    try {
      const reads = await this.#unlessEnded();
      if (await reads?.look()) this.#lastAt = performance.now();
      return reads !== undefined;
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#onDone();
    }
  }

  /** Resolves when a sandbox is open for reads, or none can be. Never rejects. */
  async opened(): Promise<void> {
    const reads = await this.#unlessEnded();
    await reads?.opened();
  }

  /** Releases the session; no read begins meanwhile. Returns whether it was released. */
  async release(release: () => Promise<boolean>): Promise<boolean> {
    this.#releasing = release();
    const isReleased = await this.#releasing;
    if (!isReleased) this.#releasing = undefined;
    return isReleased;
  }

  #unlessEnded(): Promise<SessionReads | undefined> {
    return Promise.race([this.#reads.promise, this.#hasEnded().then(() => undefined)]);
  }
}
