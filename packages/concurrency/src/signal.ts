/** A one-shot signal with memory: a `set` that comes before the wait is not lost. */
export class Signal {
  readonly #waiting = new Set<() => void>();
  #isSet = false;

  /**
   * Wakes every waiter, and every later one until `reset`. It is bound, so that it can be passed as a
   * callback.
   */
  readonly set = (): void => {
    this.#isSet = true;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  };

  get isSet(): boolean {
    return this.#isSet;
  }

  /**
   * Resets the signal. Call it before looking for work, so that a `set` in the meantime is kept for the next
   * wait.
   */
  reset(): void {
    this.#isSet = false;
  }

  /** Resolves once the signal is set or `over` aborts. */
  wait(over?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#waiting.delete(end);
        over?.removeEventListener("abort", end);
        resolve();
      };
      if (this.#isSet || over?.aborted === true) return resolve();
      this.#waiting.add(end);
      over?.addEventListener("abort", end);
    });
  }

  /** Resolves with true once the signal is set, or with false after `milliseconds`. */
  async waitFor(milliseconds: number): Promise<boolean> {
    const timeout = Promise.withResolvers<void>();
    const timer = setTimeout(timeout.resolve, milliseconds);
    const waiter = timeout.resolve;
    if (this.#isSet) waiter();
    else this.#waiting.add(waiter);
    await timeout.promise;
    clearTimeout(timer);
    this.#waiting.delete(waiter);
    return this.#isSet;
  }
}
