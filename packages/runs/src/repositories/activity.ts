/** Counts the work for the sandbox of one session beside its turn, and how much of it only waits. */
export class Activity {
  readonly #onQuiet: () => void;
  #working = 0;
  #waiting = 0;

  /** @param onQuiet called each time when no work is left, or all of it waits. */
  constructor(onQuiet: () => void) {
    this.#onQuiet = onQuiet;
  }

  isWorking(): boolean {
    return this.#working > 0;
  }

  /** Returns whether there is work, and all of it waits. */
  onlyWaits(): boolean {
    return this.#waiting > 0 && this.#working === 0;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#working += 1;
    try {
      return await work();
    } finally {
      this.#rest();
    }
  }

  /** Marks a piece of work that `run` runs as waiting until `wait` ends. */
  async pause<T>(wait: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    this.#rest();
    try {
      return await wait();
    } finally {
      this.#waiting -= 1;
      this.#working += 1;
    }
  }

  #rest(): void {
    this.#working -= 1;
    if (this.#working === 0) this.#onQuiet();
  }
}
