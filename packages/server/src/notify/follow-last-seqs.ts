import type { Logger } from "pino";
import type { Queryable } from "../db/statement.ts";
import { readLastSeqs } from "./notice-store.ts";
import type { Wakers } from "./wakers.ts";

export interface Follow {
  close(): void;
}

/**
 * Looks at `last_seq` of the sessions that are followed, every `pollMs`, and wakes the followers of those where it
 * changed since the last look, or where there is none any more: what covers notices that were lost. Asks nothing while nobody follows.
 */
export function followLastSeqs(options: {
  db: Queryable;
  log: Logger;
  pollMs: number;
  wakers: Wakers;
}): Follow {
  const { db, log, pollMs, wakers } = options;
  let seen = new Map<string, number>();
  let looking = false;

  async function look(): Promise<void> {
    const now = new Map<string, number>();
    const followed = wakers.sessions();
    for (const { id, last_seq } of await readLastSeqs(db, followed)) {
      now.set(id, last_seq);
      if (seen.get(id) !== last_seq) wakers.wake(id, false);
    }
    for (const id of followed) if (!now.has(id)) wakers.wake(id, false);
    seen = now;
  }

  const timer = setInterval(() => {
    if (looking || wakers.sessions().length === 0) return;
    looking = true;
    look()
      .catch((error: unknown) => log.debug({ err: error }, "the sessions could not be polled"))
      .finally(() => {
        looking = false;
      });
  }, pollMs).unref();
  return { close: () => clearInterval(timer) };
}
