import type { LeaseSigns } from "./lease-signs.ts";

const LOOKS = 30;

/**
 * Calls `frozen` once the thread that works has given no sign for `frozenMs`. The time is counted in looks of this thread: while the whole
 * process was stopped, there was none.
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
