import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import type { Queryable } from "../db/statement.ts";
import { sendNotices } from "./notice-store.ts";

/**
 * Tells the other processes of a database which sessions have something new. Never inside a writing transaction, where
 * a notice would put the commits of all writers in a row; instead one notice each few milliseconds for all of them.
 */
export interface Notifier {
  readonly channel: string;
  /** Names this process in notices. */
  readonly sender: string;
  notify(sessionId: string, due: boolean): void;
  /** Sends notices of another kind, after those that were sent before. */
  send(notices: readonly string[]): void;
  /** Calls `wake` for each session of a notice, unless this process sent it. */
  read(payload: string, wake: (sessionId: string, due: boolean) => void): void;
  /** Sends what is left. */
  close(): Promise<void>;
}

const GATHER_MS = 5;
/** A notice holds less than 8,000 bytes; a session takes 38. */
const SESSIONS_PER_NOTICE = 200;
const CHANNEL = "berth_sessions";

export function createNotifier(db: Queryable, log: Logger): Notifier {
  const sender = randomBytes(6).toString("hex");
  let waiting = new Map<string, boolean>();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  /** Sends what waits at once, and then gathers for a while before the next. */
  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.size === 0) return;
    const notices = payloads(sender, waiting);
    waiting = new Map();
    sending = sending.then(() => send(db, notices, log));
    timer = setTimeout(flush, GATHER_MS);
  }

  return {
    channel: CHANNEL,
    sender,
    send(notices) {
      sending = sending.then(() => send(db, notices, log));
    },
    notify(sessionId, due) {
      waiting.set(sessionId, due || waiting.get(sessionId) === true);
      if (timer === undefined) flush();
    },
    read(payload, wake) {
      const [from, ...sessions] = payload.split(",");
      if (from === sender) return;
      for (const session of sessions) wake(session.replace(/^!/, ""), session.startsWith("!"));
    },
    async close() {
      flush();
      clearTimeout(timer);
      await sending;
    },
  };
}

/** `<sender>,<session>,!<session that is due>,…` */
function payloads(sender: string, waiting: ReadonlyMap<string, boolean>): string[] {
  const sessions = [...waiting].map(([sessionId, due]) => (due ? `!${sessionId}` : sessionId));
  const notices: string[] = [];
  for (let start = 0; start < sessions.length; start += SESSIONS_PER_NOTICE) {
    notices.push([sender, ...sessions.slice(start, start + SESSIONS_PER_NOTICE)].join(","));
  }
  return notices;
}

/** A notice is a hint, so one that cannot be sent is dropped: the poll covers it. */
async function send(db: Queryable, notices: readonly string[], log: Logger): Promise<void> {
  try {
    await sendNotices(db, CHANNEL, notices);
  } catch (error) {
    log.debug({ err: error }, "a notice could not be sent");
  }
}
