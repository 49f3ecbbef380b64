export interface PoolOptions<Item> {
  /** Number of items that are kept ready. */
  ready: number;
  /** Maximum number of items in a batch. */
  batch: number;
  /** Makes `count` items. Rejects when it can make none. */
  make(count: number): Promise<Item[]>;
  /** Disposes of an item that nobody took. */
  release(item: Item): void;
}

/**
 * A pool of items that take a while to make. From the first request on, it keeps some ready and makes them in
 * batches. Requests that arrive in the same tick share one batch.
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

  /** Returns an item, ready or newly made. Rejects when none can be made, or after `close`. */
  take(): Promise<Item> {
    if (this.#closed) return Promise.reject(new Error("The pool is closed."));
    const item = this.#ready.pop();
    const taken = Promise.withResolvers<Item>();
    if (item === undefined) this.#waiting.push(taken);
    else taken.resolve(item);
    this.#fill();
    return taken.promise;
  }

  /** Waits for the batch in progress and releases every item that nobody took. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#making;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(new Error("The pool is closed."));
    for (const item of this.#ready.splice(0)) this.#options.release(item);
  }

  /** Refills when half of the items are gone, so that `take` seldom waits for a batch. */
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

  /** Returns false when no item could be made; the next request tries again. */
  async #make(): Promise<boolean> {
    // Wait for the end of the tick, so that its other requests join this batch.
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
