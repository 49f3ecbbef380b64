import type { Logger } from "pino";

/** Sweep intervals in milliseconds. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** A series of sweeps that is running. */
export interface Sweeper {
  /** Resolves when the first round has ended, successful or not. */
  readonly swept: Promise<void>;
  /** Stops sweeping, and resolves when the running sweep has ended. */
  close(): Promise<void>;
}

/** Removes leftovers. Returns early when the signal aborts; the next round removes the rest. */
export type Sweep = (signal: AbortSignal) => Promise<void>;

/**
 * Runs the sweeps in order, at once and at each interval. Rounds never overlap. A failing sweep is logged
 * with its name and prevents neither the others nor its next run.
 * @param everyMs Milliseconds between rounds. Default: one hour.
 */
export function startSweeper(
  sweeps: Readonly<Record<string, Sweep>>,
  log: Logger,
  everyMs: number = HOUR_MS,
): Sweeper {
  const closing = new AbortController();
  const { signal } = closing;
  let current: Promise<void> | undefined;
  async function sweepAll(): Promise<void> {
    for (const [what, sweep] of Object.entries(sweeps)) {
      if (signal.aborted) return;
      await sweep(signal).catch((error) => {
        if (!signal.aborted) log.warn({ err: error, what }, "leftovers could not be removed");
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
