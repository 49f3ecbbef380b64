import { setTimeout as pause } from "node:timers/promises";

/** Looks every so often whether something holds. */
export interface Watch {
  /** Aborts as soon as it does. */
  signal: AbortSignal;
  /** Ends it with a last look, and answers whether it ever held. More often changes nothing. Rejects when a look did. */
  end(): Promise<boolean>;
}

export function watch(holds: () => Promise<boolean>, everyMs: number): Watch {
  const held = new AbortController();
  const ended = new AbortController();

  async function look(): Promise<boolean> {
    for (;;) {
      const isLast = ended.signal.aborted;
      if (await holds()) {
        held.abort();
        return true;
      }
      if (isLast) return false;
      await pause(everyMs, undefined, { signal: ended.signal }).catch(() => {});
    }
  }

  const looking = look();
  // Told by `end`.
  looking.catch(() => {});
  return {
    signal: held.signal,
    end() {
      ended.abort();
      return looking;
    },
  };
}
