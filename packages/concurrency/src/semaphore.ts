/** Releases a slot. Calling it again has no effect. */
export type Release = () => void;

/** A semaphore with `slots` slots, granted in the order of the requests. */
export class Semaphore {
  readonly #slots: number;
  readonly #waiting: (() => void)[] = [];
  #held = 0;

  constructor(slots: number) {
    this.#slots = slots;
  }

  /** Resolves once a slot is held. */
  async acquire(): Promise<Release> {
    if (this.#held < this.#slots) this.#held += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = this.#waiting.shift();
      if (next === undefined) this.#held -= 1;
      else next();
    };
  }

  /** Runs `work` while holding a slot. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const release = await this.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }

  get free(): number {
    return this.#slots - this.#held;
  }
}
