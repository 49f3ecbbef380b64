import type { Logger } from "pino";
import type { Queryable } from "../db/statement.ts";
import { CHANGES, DUE, type Notification } from "./channels.ts";
import { sendNotifications } from "./notification-store.ts";

/** Minimum milliseconds between two notifications, unless their size forces one. */
const MIN_INTERVAL_MS = 5;
/**
 * Maximum milliseconds until the notification of a change that is not due. Only followers at other services
 * wait for it.
 */
const MAX_DELAY_MS = 20;
/** Maximum number of sessions in a payload of at most 8,000 bytes; each takes 37. */
const SESSIONS_PER_NOTIFICATION = 200;

/**
 * Notifies the other processes of a database that sessions changed: those that serve the API of each change,
 * and runners of due sessions. It does not notify inside the writing transactions, because NOTIFY in each
 * would serialize the commits of all writers. Changes are batched for a few milliseconds and sent separately;
 * due sessions are sent at once.
 */
export class Notifier {
  /** The sender in payloads. Received payloads with the same sender are ignored. */
  readonly #sender: string;
  readonly #db: Queryable;
  readonly #log: Logger;
  /** Sessions of the next batch, and whether each is due. */
  #batch = new Map<string, boolean>();
  #timer: NodeJS.Timeout | undefined;
  /** Time at which the timer fires, by `performance.now()`. */
  #flushAt = Number.POSITIVE_INFINITY;
  #flushedAt = Number.NEGATIVE_INFINITY;
  #sending: Promise<void> = Promise.resolve();

  /** @param sender Name of this process, or of the service if its processes notify each other directly. */
  constructor(db: Queryable, log: Logger, sender: string) {
    this.#db = db;
    this.#log = log;
    this.#sender = sender;
  }

  notify(sessionId: string, due: boolean): void {
    this.#batch.set(sessionId, due || this.#batch.get(sessionId) === true);
    const now = performance.now();
    this.#flushBy(due ? Math.max(now, this.#flushedAt + MIN_INTERVAL_MS) : now + MAX_DELAY_MS, now);
  }

  /** Sends other notifications, after earlier ones. */
  send(notifications: readonly Notification[]): void {
    this.#sending = this.#sending.then(() => this.#sendNow(notifications));
  }

  /** Calls `wake` for each session of a received payload, unless this sender sent it. */
  receive(payload: string, wake: (sessionId: string) => void): void {
    const [sender, ...sessions] = payload.split(",");
    if (sender === this.#sender) return;
    for (const session of sessions) wake(session);
  }

  /** Sends the last batch. */
  async close(): Promise<void> {
    this.#flush();
    await this.#sending;
  }

  #flushBy(at: number, now: number): void {
    if (at >= this.#flushAt) return;
    clearTimeout(this.#timer);
    if (at <= now) this.#flush();
    else {
      this.#flushAt = at;
      this.#timer = setTimeout(() => this.#flush(), at - now);
    }
  }

  /** Sends the batch at once. */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#flushAt = Number.POSITIVE_INFINITY;
    if (this.#batch.size === 0) return;
    this.#flushedAt = performance.now();
    const due = [...this.#batch].filter(([, isDue]) => isDue).map(([sessionId]) => sessionId);
    this.send([
      ...payloadsOf(this.#sender, due).map((payload) => ({ channel: DUE, payload })),
      ...payloadsOf(this.#sender, [...this.#batch.keys()]).map((payload) => ({ channel: CHANGES, payload })),
    ]);
    this.#batch = new Map();
  }

  /**
   * Sends notifications, and drops those that cannot be sent. They are hints, since other processes also
   * poll.
   */
  async #sendNow(notifications: readonly Notification[]): Promise<void> {
    try {
      await sendNotifications(this.#db, notifications);
    } catch (error) {
      this.#log.debug({ err: error }, "could not send a notification");
    }
  }
}

/** Returns payloads of the form `<sender>,<session>,…`. */
function payloadsOf(sender: string, sessions: readonly string[]): string[] {
  const payloads: string[] = [];
  for (let start = 0; start < sessions.length; start += SESSIONS_PER_NOTIFICATION) {
    payloads.push([sender, ...sessions.slice(start, start + SESSIONS_PER_NOTIFICATION)].join(","));
  }
  return payloads;
}
