import type { LeaseSigns } from "./lease-signs.ts";

const LOOKS = 30;

/**
 * Calls `frozen` once the main thread has given no heartbeat for `frozenMs`. The time is counted in checks of
 * this thread, so that time in which the whole process was stopped does not count.
 */
export function watchForFreeze(
  signs: Pick<LeaseSigns, "beats">,
  frozenMs: number,
  frozen: () => void,
): { close(): void } {
  let beats = signs.beats();
  let silentLooks = 0;
  const timer = setInterval(() => {
    const now = signs.beats();
    silentLooks = now === beats ? silentLooks + 1 : 0;
    beats = now;
    if (silentLooks === LOOKS) frozen();
  }, frozenMs / LOOKS);
  return { close: () => clearInterval(timer) };
}
