export interface StockOptions<Item> {
  /** How many are kept ready. */
  ready: number;
  /** The most that are made at once. */
  batch: number;
  /** Makes so many. Rejects when none can be made. */
  make(count: number): Promise<Item[]>;
  /** Lets go of one that nobody took. */
  release(item: Item): void;
}

/** Things that take a while to make, made ahead, several at once. What is asked for at one moment is made together. */
export class Stock<Item> {
  readonly #options: StockOptions<Item>;
  readonly #ready: Item[] = [];
  readonly #waiting: PromiseWithResolvers<Item>[] = [];
  #making: Promise<void> | null = null;
  #closed = false;

  /** Begins to make the first at once. */
  constructor(options: StockOptions<Item>) {
    this.#options = options;
    this.#fill();
  }

  /** Rejects when none can be made, or after `close`. */
  take(): Promise<Item> {
    if (this.#closed) return Promise.reject(new Error("The stock is closed."));
    const item = this.#ready.pop();
    const taken = Promise.withResolvers<Item>();
    if (item === undefined) this.#waiting.push(taken);
    else taken.resolve(item);
    this.#fill();
    return taken.promise;
  }

  /** Waits for what is being made, and releases all that nobody took. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#making;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(new Error("The stock is closed."));
    for (const item of this.#ready.splice(0)) this.#options.release(item);
  }

  /** When half of it is gone, so that few of it are made in the time of who takes one. */
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

  /** False when nothing could be made, which is not tried again until somebody asks. */
  async #make(): Promise<boolean> {
    // What else is asked for in this moment belongs to the same batch.
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
