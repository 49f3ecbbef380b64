import type { Logger } from "pino";

const SWEEP_MS = 3_600_000;

export interface Sweeping {
  /** Sweeps no more, and resolves when a sweep that is under way has ended. */
  close(): Promise<void>;
}

/** Ends early when the signal aborts: what is left then is for the next time. */
export type Sweep = (signal: AbortSignal) => Promise<void>;

/**
 * Does each of the sweeps, in this order, now and every hour. One that fails is told in the log by its name, and holds back
 * neither the others nor the next try.
 */
export function keepSweeping(sweeps: Readonly<Record<string, Sweep>>, log: Logger): Sweeping {
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
  };
  const timer = setInterval(sweep, SWEEP_MS).unref();
  sweep();
  return {
    async close() {
      closing.abort();
      clearInterval(timer);
      await current;
    },
  };
}
