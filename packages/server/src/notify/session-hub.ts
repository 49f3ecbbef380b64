import type { Logger } from "pino";
import type { Database } from "../db/pool.ts";
import { type Follow, followLastSeqs } from "./follow-last-seqs.ts";
import { createNotifier } from "./notifier.ts";
import { createPreviews, type Previews } from "./previews.ts";
import { createWakers } from "./wakers.ts";

/**
 * Tells followers in this process that a session has something new, whichever process wrote it. A wake is a hint: it
 * may come without cause and says nothing of what is new, so whoever is woken reads for itself. No wake is lost for
 * longer than the poll's interval, though notices of the database may be.
 */
export interface SessionHub {
  /** `wake` is called soon after something was committed for the session, until the returned function is called. */
  subscribe(sessionId: string, wake: () => void): () => void;
  /** `wake` is called when a session may have become due for a worker. */
  onDue(wake: (sessionId: string) => void): () => void;
  /** Called after a commit. `due`: the commit set `pending_at`, so that a worker is to look as well. */
  publish(sessionId: string, due?: boolean): void;
  readonly previews: Omit<Previews, "read" | "close">;
  close(): Promise<void>;
}

export interface SessionHubOptions {
  db: Database;
  log: Logger;
  /** Milliseconds between looks at the rows of the sessions that are followed; default 2,000. */
  pollMs?: number;
}

/** Opens the process's one connection that listens, and resolves when it does. */
export async function openSessionHub(options: SessionHubOptions): Promise<SessionHub> {
  const { db, log, pollMs = 2_000 } = options;
  const wakers = createWakers();
  const notifier = createNotifier(db.write, log);
  const previews = createPreviews(notifier.sender, notifier.send);
  const listener = await db.listen(notifier.channel, {
    onPayload: (payload) => {
      if (!previews.read(payload)) notifier.read(payload, wakers.wake);
    },
    onReconnect: wakers.wakeAll,
  });
  const poll: Follow = followLastSeqs({ db: db.read, log, pollMs, wakers });
  return {
    subscribe: wakers.subscribe,
    onDue: wakers.onDue,
    previews,
    publish(sessionId, due = false) {
      wakers.wake(sessionId, due);
      notifier.notify(sessionId, due);
    },
    async close() {
      poll.close();
      previews.close();
      await notifier.close();
      await listener.close();
    },
  };
}
