/** Number of tasks that may run at once before the rate applies. */
const BURST = 16;
/** Milliseconds per task after the burst. */
const INTERVAL_MS = 1_000;
const MAX_WAITING = 64;

interface Queue {
  waiting: number;
  last: Promise<unknown>;
  /** Number of tasks that could run at once at `updatedAt` (token bucket). */
  tokens: number;
  updatedAt: number;
}

/** A queue per owner runs one task at a time and, after a burst, one per second, independently of others. */
export class RateLimitedQueues {
  readonly #queues = new WeakMap<object, Queue>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Runs a task in its owner's queue. Rejects when too many tasks are waiting in it. */
  run<T>(owner: object, task: () => Promise<T>): Promise<T> {
    const queue = this.#queueOf(owner);
    if (queue.waiting >= MAX_WAITING) return Promise.reject(new Error("Too many tasks are waiting at once."));
    queue.waiting += 1;
    const done = queue.last.then(async () => {
      await this.#takeToken(queue);
      return await task();
    });
    queue.last = done.then(
      () => (queue.waiting -= 1),
      () => (queue.waiting -= 1),
    );
    return done;
  }

  #queueOf(owner: object): Queue {
    const known = this.#queues.get(owner);
    if (known !== undefined) return known;
    const queue = { waiting: 0, last: Promise.resolve(), tokens: BURST, updatedAt: this.#now() };
    this.#queues.set(owner, queue);
    return queue;
  }

  async #takeToken(queue: Queue): Promise<void> {
    const time = this.#now();
    queue.tokens = Math.min(BURST, queue.tokens + (time - queue.updatedAt) / INTERVAL_MS);
    queue.updatedAt = time;
    if (queue.tokens < 1) {
      const waitMs = (1 - queue.tokens) * INTERVAL_MS;
      await new Promise<void>((resolve) => setTimeout(resolve, waitMs).unref());
      queue.tokens = 1;
      queue.updatedAt = this.#now();
    }
    queue.tokens -= 1;
  }
}
