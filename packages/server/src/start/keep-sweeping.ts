import type { Logger } from "pino";

/** Periods of sweeps. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

export interface Sweeping {
  /** Resolves when the first round has ended, however it did. */
  readonly swept: Promise<void>;
  /** Sweeps no more, and resolves when a sweep that is under way has ended. */
  close(): Promise<void>;
}

/** Ends early when the signal aborts: what is left then is for the next time. */
export type Sweep = (signal: AbortSignal) => Promise<void>;

/**
 * Does each of the sweeps, in this order, now and once each period; a round that takes longer is waited for. One that fails is
 * told in the log by its name, and holds back neither the others nor the next try.
 */
export function keepSweeping(
  sweeps: Readonly<Record<string, Sweep>>,
  log: Logger,
  everyMs: number = HOUR_MS,
): Sweeping {
  const closing = new AbortController();
  const { signal } = closing;
  let current: Promise<void> | undefined;
  async function sweepAll(): Promise<void> {
    for (const [what, sweep] of Object.entries(sweeps)) {
      if (signal.aborted) return;
      await sweep(signal).catch((error) => {
        if (!signal.aborted) log.warn({ err: error, what }, "leftovers were not swept");
      });
    }
  }
  const sweep = () => {
    current ??= sweepAll().finally(() => {
      current = undefined;
    });
    return current;
  };
  const timer = setInterval(sweep, everyMs).unref();
  const swept = sweep();
  return {
    swept,
    async close() {
      closing.abort();
      clearInterval(timer);
      await current;
    },
  };
}
