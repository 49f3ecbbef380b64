const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/**
 * Runs `work` with a signal that aborts as soon as the process is asked to end. The process then ends by that
 * same signal, after `work` has settled and stopped what it started.
 */
export async function untilAskedToEnd<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const asked = new AbortController();
  const by: NodeJS.Signals[] = [];
  const listeners = SIGNALS.map((name) => {
    const listener = () => {
      by.push(name);
      asked.abort(new Error("The command was asked to end."));
    };
    process.on(name, listener);
    return () => process.off(name, listener);
  });
  try {
    return await work(asked.signal);
  } finally {
    for (const remove of listeners) remove();
    if (by[0] !== undefined) process.kill(process.pid, by[0]);
  }
}
