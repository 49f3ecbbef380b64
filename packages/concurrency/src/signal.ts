/** A one-shot signal with memory: a `set` that comes before the wait is not lost. */
export class Signal {
  readonly #waiting = new Set<() => void>();
  #isSet = false;

  /** Wakes every waiter, and every later one until `reset`. Bound, so that it can be passed as a callback. */
  readonly set = (): void => {
    this.#isSet = true;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  };

  get isSet(): boolean {
    return this.#isSet;
  }

  /** Call it before looking for work, so that a `set` during the look is kept for the next wait. */
  reset(): void {
    this.#isSet = false;
  }

  /** Resolves once the signal is set, or `over` is aborted. */
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

  /** As `wait`, but resolves with false after `milliseconds` without a `set`. */
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
