export interface PoolOptions<Item> {
  /** Items kept ready. */
  ready: number;
  /** Largest batch. */
  batch: number;
  /** Makes `count` items. Rejects when none can be made. */
  make(count: number): Promise<Item[]>;
  /** Disposes of an item that nobody took. */
  release(item: Item): void;
}

/**
 * Items that take a while to make, kept ready from the first request on, and made in batches. Requests that arrive in the same tick
 * share one batch.
 */
export class Pool<Item> {
  readonly #options: PoolOptions<Item>;
  readonly #ready: Item[] = [];
  readonly #waiting: PromiseWithResolvers<Item>[] = [];
  #making: Promise<void> | null = null;
  #closed = false;

  constructor(options: PoolOptions<Item>) {
    this.#options = options;
  }

  /** Rejects when none can be made, or after `close`. */
  take(): Promise<Item> {
    if (this.#closed) return Promise.reject(new Error("The pool is closed."));
    const item = this.#ready.pop();
    const taken = Promise.withResolvers<Item>();
    if (item === undefined) this.#waiting.push(taken);
    else taken.resolve(item);
    this.#fill();
    return taken.promise;
  }

  /** Waits for the batch that is being made, and releases every item that nobody took. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#making;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(new Error("The pool is closed."));
    for (const item of this.#ready.splice(0)) this.#options.release(item);
  }

  /** Refills when half of the items are gone, so that a taker seldom waits for a batch. */
  #fill(): void {
    if (this.#making !== null || this.#closed) return;
    const { ready } = this.#options;
    const enough = this.#ready.length >= ready || this.#ready.length * 2 > ready;
    if (this.#waiting.length === 0 && enough) return;
    this.#making = this.#make().then((made) => {
      this.#making = null;
      if (made || this.#waiting.length > 0) this.#fill();
    });
  }

  /** Returns false when nothing could be made; the next request tries again. */
  async #make(): Promise<boolean> {
    // Requests of the same tick join this batch.
    await new Promise(setImmediate);
    const { ready, batch, make } = this.#options;
    const missing = this.#waiting.length + ready - this.#ready.length;
    try {
      for (const item of await make(Math.min(missing, batch))) {
        const waiting = this.#waiting.shift();
        if (waiting === undefined) this.#ready.push(item);
        else waiting.resolve(item);
      }
      return true;
    } catch (error) {
      for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
      return false;
    }
  }
}
