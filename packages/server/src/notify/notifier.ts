import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import type { Queryable } from "../db/statement.ts";
import { sendNotifications } from "./notification-store.ts";

const BATCH_MS = 5;
/** A payload is limited to 8,000 bytes, and a session takes 38. */
const SESSIONS_PER_NOTIFICATION = 200;
const CHANNEL = "berth_sessions";

/**
 * Notifies the other processes of a database that sessions changed. Not inside the writing transactions, because a NOTIFY in
 * each would serialize the commits of all writers: changes are batched for a few milliseconds and sent on their own.
 */
export class Notifier {
  readonly channel = CHANNEL;
  /** Identifies this process in payloads. */
  readonly sender = randomBytes(6).toString("hex");
  readonly #db: Queryable;
  readonly #log: Logger;
  /** Sessions of the next batch, and whether each is due. */
  #batch = new Map<string, boolean>();
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(db: Queryable, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  notify(sessionId: string, due: boolean): void {
    this.#batch.set(sessionId, due || this.#batch.get(sessionId) === true);
    if (this.#timer === undefined) this.#flush();
  }

  /** Sends payloads of another kind, after those before them. */
  send(payloads: readonly string[]): void {
    this.#sending = this.#sending.then(() => this.#sendNow(payloads));
  }

  /** Calls `wake` for each session of a received payload, unless this process sent it. */
  receive(payload: string, wake: (sessionId: string, due: boolean) => void): void {
    const [sender, ...sessions] = payload.split(",");
    if (sender === this.sender) return;
    for (const session of sessions) wake(session.replace(/^!/, ""), session.startsWith("!"));
  }

  /** Sends the last batch. */
  async close(): Promise<void> {
    this.#flush();
    clearTimeout(this.#timer);
    await this.#sending;
  }

  /** Sends the batch at once. Later changes wait for the timer. */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#batch.size === 0) return;
    this.send(payloadsOf(this.sender, this.#batch));
    this.#batch = new Map();
    this.#timer = setTimeout(() => this.#flush(), BATCH_MS);
  }

  /** Notifications are hints, so those that cannot be sent are dropped: other processes also poll. */
  async #sendNow(payloads: readonly string[]): Promise<void> {
    try {
      await sendNotifications(this.#db, CHANNEL, payloads);
    } catch (error) {
      this.#log.debug({ err: error }, "could not send a notification");
    }
  }
}

/** Each payload is `<sender>,<session>,!<due session>,…`. */
function payloadsOf(sender: string, batch: ReadonlyMap<string, boolean>): string[] {
  const sessions = [...batch].map(([sessionId, due]) => (due ? `!${sessionId}` : sessionId));
  const payloads: string[] = [];
  for (let start = 0; start < sessions.length; start += SESSIONS_PER_NOTIFICATION) {
    payloads.push([sender, ...sessions.slice(start, start + SESSIONS_PER_NOTIFICATION)].join(","));
  }
  return payloads;
}
