/** Jobs that always run at the same time. CI has two cores, and tests mostly wait for processes. */
const ALWAYS = 3;
/**
 * The largest number of jobs at a time on a machine with idle cores. More would need more memory and disk
 * than CI has.
 */
const MOST = 6;
/** Milliseconds after which a started job shows how much it uses. */
const LOOK_INTERVAL_MS = 2_000;

/**
 * Runs the jobs in this order, several at a time, and resolves when the last one has ended.
 *
 * @param hasRoom Whether the machine has had room for one more job since the last call.
 */
export async function runJobs<T>(
  jobs: readonly T[],
  run: (job: T) => Promise<void>,
  hasRoom: () => boolean,
  lookIntervalMs = LOOK_INTERVAL_MS,
): Promise<void> {
  const waiting = [...jobs];
  const running = new Set<Promise<void>>();
  const begin = (most: number): void => {
    for (const job of waiting.splice(0, Math.max(0, most - running.size))) {
      const ended = run(job).finally(() => running.delete(ended));
      running.add(ended);
    }
  };
  const looking = setInterval(() => {
    if (hasRoom()) begin(Math.min(running.size + 1, MOST));
  }, lookIntervalMs);
  for (begin(ALWAYS); running.size > 0; begin(ALWAYS)) await Promise.race(running);
  clearInterval(looking);
}
