/** What is being done for the sandbox of one session besides its turn, and how much of that only waits for a while. */
export class Activity {
  readonly #onQuiet: () => void;
  #working = 0;
  #waiting = 0;

  /** @param onQuiet called each time when nothing is being done any more, or only waits. */
  constructor(onQuiet: () => void) {
    this.#onQuiet = onQuiet;
  }

  isWorking(): boolean {
    return this.#working > 0;
  }

  /** Something is being done, and all of it waits. */
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

  /** For a piece of work that `run` runs: until `wait` ends it does nothing. */
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
