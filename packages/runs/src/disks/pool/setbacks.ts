import type { Logger } from "pino";

const [FIRST_MS, MOST_MS] = [10_000, 300_000];

interface Setback {
  waitMs: number;
  until: number;
  reported: string;
}

/**
 * Shapes that could not be made, by key. Each is tried again after growing waits. A failure is logged when
 * its reason is new, and at the longest wait.
 */
export class Setbacks {
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #all = new Map<string, Setback>();

  /** @param now milliseconds of a monotonic clock. */
  constructor(log: Logger, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  mayTry(key: string): boolean {
    return this.#now() >= (this.#all.get(key)?.until ?? 0);
  }

  failed(key: string, error: unknown): void {
    const before = this.#all.get(key);
    const waitMs = before === undefined ? FIRST_MS : Math.min(MOST_MS, before.waitMs * 2);
    const reported = error instanceof Error ? error.message : String(error);
    if (before?.reported !== reported || waitMs === MOST_MS)
      this.#log.warn({ err: error, seconds: waitMs / 1_000 }, "a sandbox of the pool could not be created");
    this.#all.set(key, { waitMs, until: this.#now() + waitMs, reported });
  }

  succeeded(key: string): void {
    this.#all.delete(key);
  }
}
