/** What a look at a session's disk may take, be it the last of a turn or one around a call. */
export const LOOK_MS = 120_000;
/** What is left for it once the turn is interrupted. */
const INTERRUPTED_MS = 3_000;

/**
 * Gives the work a signal that aborts when its time is over, and soon after the turn is interrupted. Commands inside are
 * as slow as the agent lets them be: what stops, slows or feeds them for ever runs as the same user.
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
