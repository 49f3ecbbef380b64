import type { SessionReads } from "../reads/session-reads.ts";

/** Reads of the disk of a session that is held, beside whatever else its run does. None begins while the session is being released. */
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
   * @param onDone called when no read is under way any more.
   */
  constructor(hasEnded: () => Promise<void>, onDone: () => void) {
    this.#hasEnded = hasEnded;
    this.#onDone = onDone;
  }

  /** From then on reads can be answered. */
  begin(reads: SessionReads): void {
    this.#reads.resolve(reads);
  }

  get areRunning(): boolean {
    return this.#running > 0;
  }

  /** When one last was, by `performance.now()`. */
  get lastAt(): number {
    return this.#lastAt;
  }

  /** Answers those that wait. Resolves when that is done, or with false when the session is no longer held. */
  async answer(): Promise<boolean> {
    if (await this.#releasing?.catch(() => true)) return false;
    this.#running += 1;
    try {
      const reads = await this.#unlessEnded();
      await reads?.look();
      return reads !== undefined;
    } finally {
      this.#running -= 1;
      this.#lastAt = performance.now();
      if (this.#running === 0) this.#onDone();
    }
  }

  /** Resolves when a sandbox is open for them, or none can be. Never rejects. */
  async opened(): Promise<void> {
    const reads = await this.#unlessEnded();
    await reads?.opened();
  }

  /** Releases the session; meanwhile no read begins. Returns whether it was released. */
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
