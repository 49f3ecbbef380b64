import type { Logger } from "pino";
import type { Queryable } from "../db/statement.ts";
import { readLastSeqs } from "./notification-store.ts";
import type { SessionListeners } from "./session-listeners.ts";

/**
 * Polls `last_seq` of the sessions with followers every `pollMs`. Calls the followers of a session when it
 * changed since the last poll, and at every poll when the session is gone. This covers lost notifications.
 * Sends no query while there are no followers.
 */
export function followLastSeqs(options: {
  db: Queryable;
  log: Logger;
  pollMs: number;
  followers: SessionListeners;
}): { close(): void } {
  const { db, log, pollMs, followers } = options;
  let lastSeqs = new Map<string, number>();
  let isPolling = false;

  async function poll(): Promise<void> {
    const current = new Map<string, number>();
    const sessions = followers.sessions();
    for (const { id, last_seq } of await readLastSeqs(db, sessions)) {
      current.set(id, last_seq);
      if (lastSeqs.get(id) !== last_seq) followers.call(id);
    }
    for (const id of sessions) if (!current.has(id)) followers.call(id);
    lastSeqs = current;
  }

  const timer = setInterval(() => {
    if (isPolling || followers.sessions().length === 0) return;
    isPolling = true;
    poll()
      .catch((error: unknown) => log.debug({ err: error }, "could not poll the followed sessions"))
      .finally(() => {
        isPolling = false;
      });
  }, pollMs).unref();
  return { close: () => clearInterval(timer) };
}
