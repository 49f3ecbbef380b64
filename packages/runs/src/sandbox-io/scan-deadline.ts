/** Milliseconds that a scan of a session's disk may take, at the end of a turn or around a call. */
export const LOOK_MS = 120_000;
/** Milliseconds that it may still take once the turn is interrupted. */
const INTERRUPTED_MS = 3_000;

/**
 * Runs the work with a signal that aborts after `LOOK_MS`, and soon after `signal` aborts. The agent's
 * processes run as the same user as commands of the scan, and may stop, slow or feed them forever.
 */
export async function withDeadline<T>(
  signal: AbortSignal,
  work: (deadline: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const abort = () => deadline.abort();
  const timers = [setTimeout(abort, LOOK_MS)];
  const hurry = () => timers.push(setTimeout(abort, INTERRUPTED_MS));
  if (signal.aborted) hurry();
  else signal.addEventListener("abort", hurry, { once: true });
  try {
    return await work(deadline.signal);
  } finally {
    signal.removeEventListener("abort", hurry);
    for (const timer of timers) clearTimeout(timer);
  }
}
