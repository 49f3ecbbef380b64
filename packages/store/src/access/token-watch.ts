import type { Logger } from "pino";
import type { Queryable } from "../db/statement.ts";
import { type Following, validFollowings } from "./token-store.ts";

/** Ends long-lived streams when the token that opened them may not follow the session any more. */
export interface TokenWatch {
  /**
   * Calls `onInvalid` once, within about 5 s after the token was revoked or expired, or lost access to the
   * session. Returns a function that stops the watch.
   */
  watch(following: Following, onInvalid: () => void): () => void;
  close(): void;
}

/**
 * Checks all that is watched with one statement every `intervalMs` (default 5,000), and runs none while none
 * is watched.
 */
export function createTokenWatch(db: Queryable, log: Logger, intervalMs = 5_000): TokenWatch {
  const watchers = new Map<string, { following: Following; listeners: Set<() => void> }>();
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<void> {
    const asked = [...watchers.values()].map(({ following }) => following);
    const valid = new Set((await validFollowings(db, asked)).map(keyOf));
    for (const following of asked) {
      const key = keyOf(following);
      if (valid.has(key)) continue;
      const { listeners } = watchers.get(key) ?? {};
      watchers.delete(key);
      for (const onInvalid of listeners ?? []) onInvalid();
    }
  }

  function schedule(): void {
    timer ??= setTimeout(async () => {
      timer = undefined;
      await check().catch((error: unknown) =>
        log.debug({ err: error }, "could not check the tokens of open streams"),
      );
      if (watchers.size > 0) schedule();
    }, intervalMs).unref();
  }

  return {
    watch(following, onInvalid) {
      const own = () => onInvalid();
      const key = keyOf(following);
      const { listeners } = watchers.get(key) ?? { listeners: new Set() };
      watchers.set(key, { following, listeners: listeners.add(own) });
      schedule();
      return () => {
        listeners.delete(own);
        if (listeners.size === 0 && watchers.get(key)?.listeners === listeners) watchers.delete(key);
      };
    },
    close: () => clearTimeout(timer),
  };
}

function keyOf({ tokenId, sessionId }: Following): string {
  return `${tokenId} ${sessionId}`;
}
