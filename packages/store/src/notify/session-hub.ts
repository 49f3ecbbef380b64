import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import type { Database } from "../db/pool.ts";
import { CHANGES, DUE } from "./channels.ts";
import { followLastSeqs } from "./follow-last-seqs.ts";
import type { Neighbours } from "./neighbours.ts";
import { Notifier } from "./notifier.ts";
import { Previews } from "./previews.ts";
import { ReadNotices } from "./read-notices.ts";
import { SessionListeners } from "./session-listeners.ts";

/**
 * Wakes this process's followers of a session when any process has changed it. A wake is a hint: it may come
 * without a change and does not say what changed, so the follower reads the database. Notifications may be
 * lost; the poll then wakes the follower after at most one interval.
 */
export interface SessionHub {
  /** Calls `wake` soon after each commit for the session, until the returned function is called. */
  subscribe(sessionId: string, wake: () => void): () => void;
  /**
   * Calls `wake` when a worker may have to run a session, until the returned function is called. An empty id
   * means any session.
   */
  onDue(wake: (sessionId: string) => void): () => void;
  /** Calls `wake` soon after each commit for any session, until the returned function is called. */
  onChange(wake: () => void): () => void;
  /**
   * Publishes a change. Call it after a commit. `due` means that the commit set `pending_at`, so workers are
   * woken too.
   */
  publish(sessionId: string, due?: boolean): void;
  readonly previews: Pick<
    Previews,
    "follow" | "request" | "publish" | "end" | "beginOutput" | "outputChanged"
  >;
  readonly reads: Pick<ReadNotices, "onAsked" | "onAnswered" | "publish">;
  close(): Promise<void>;
}

/**
 * The events that a process listens for: changes of sessions if it serves the API, due sessions if it runs
 * them.
 */
export type HeardBy = "api" | "runner";

export interface SessionHubOptions {
  db: Database;
  log: Logger;
  /** Default: both. */
  heardBy?: HeardBy;
  /** The other processes of this service. Default: none. */
  neighbours?: Neighbours;
  /** Milliseconds between polls of the sessions that have followers; default 2,000. */
  pollMs?: number;
}

/** Opens the process's only listening connection. Resolves when it listens. */
export async function openSessionHub(options: SessionHubOptions): Promise<SessionHub> {
  const { db, log, neighbours, pollMs = 2_000 } = options;
  const followers = new SessionListeners();
  const workers = new Set<(sessionId: string) => void>();
  const wakeWorkers = (sessionId: string) => {
    for (const wakeWorker of [...workers]) wakeWorker(sessionId);
  };
  const any = new Set<() => void>();
  const wakeFollowers = (sessionId: string) => {
    followers.call(sessionId);
    for (const wakeAny of [...any]) wakeAny();
  };
  const wake = (sessionId: string, due: boolean) => {
    wakeFollowers(sessionId);
    if (due) wakeWorkers(sessionId);
  };
  const own = randomBytes(6).toString("hex");
  const notifier = new Notifier(db.write, log, neighbours?.service ?? own);
  const previews = new Previews(own, {
    send: (notifications) => notifier.send(notifications),
    listen: (channel) => listener.add(channel),
    unlisten: (channel) => listener.remove(channel),
  });
  const reads = new ReadNotices(neighbours?.service ?? own, (sessionId, read, notifications) => {
    neighbours?.tell({ sessionId, due: false, read });
    notifier.send(notifications);
  });
  const stopListening = neighbours?.listen(({ sessionId, due, read }) => {
    if (read === undefined) wake(sessionId, due);
    else reads.heard(sessionId, read);
  });
  const receive = (payload: string, channel: string) => {
    if (previews.receive(payload) || reads.receive(payload)) return;
    notifier.receive(payload, (sessionId) =>
      channel === DUE ? wakeWorkers(sessionId) : wakeFollowers(sessionId),
    );
  };
  const channels = { api: [CHANGES], runner: [DUE] };
  const listener = await db.listen(options.heardBy ? channels[options.heardBy] : [CHANGES, DUE], {
    onPayload: receive,
    onReconnect: () => {
      for (const sessionId of followers.sessions()) followers.call(sessionId);
      wakeWorkers("");
    },
  });
  const poll = followLastSeqs({ db: db.read, log, pollMs, followers });
  return {
    subscribe: (sessionId, onChange) => followers.add(sessionId, onChange),
    onDue(onDue) {
      workers.add(onDue);
      return () => workers.delete(onDue);
    },
    onChange(onChange) {
      any.add(onChange);
      return () => any.delete(onChange);
    },
    previews,
    reads,
    publish(sessionId, due = false) {
      wake(sessionId, due);
      neighbours?.tell({ sessionId, due });
      notifier.notify(sessionId, due);
    },
    async close() {
      stopListening?.();
      poll.close();
      previews.close();
      await notifier.close();
      await listener.close();
    },
  };
}
