import type { Logger } from "pino";
import type { Queryable } from "../db/statement.ts";
import { validTokens } from "./token-store.ts";

/** Ends long-lived streams when the token that opened them is no longer valid. */
export interface TokenWatch {
  /**
   * Calls `onInvalid` once, within about 5 s after the token was revoked or expired. Returns a function that
   * stops the watch.
   */
  watch(tokenId: string, onInvalid: () => void): () => void;
  close(): void;
}

/**
 * Checks all watched tokens with one statement every `intervalMs` (default 5,000), and runs none while none
 * is watched.
 */
export function createTokenWatch(db: Queryable, log: Logger, intervalMs = 5_000): TokenWatch {
  const watchers = new Map<string, Set<() => void>>();
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<void> {
    const valid = await validTokens(db, [...watchers.keys()]);
    for (const [tokenId, listeners] of [...watchers]) {
      if (valid.has(tokenId)) continue;
      watchers.delete(tokenId);
      for (const onInvalid of listeners) onInvalid();
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
    watch(tokenId, onInvalid) {
      const own = () => onInvalid();
      watchers.set(tokenId, (watchers.get(tokenId) ?? new Set()).add(own));
      schedule();
      return () => {
        const listeners = watchers.get(tokenId);
        listeners?.delete(own);
        if (listeners?.size === 0) watchers.delete(tokenId);
      };
    },
    close: () => clearTimeout(timer),
  };
}
