import { CHANGES, DUE, type Notification } from "./channels.ts";
import { SessionListeners } from "./session-listeners.ts";

/**
 * The kind of a notice. `asked` means that a read of the session's disk waits in the table, `answered` that
 * one of them has its answer there.
 */
export type ReadNotice = "asked" | "answered";

const MARKS: Readonly<Record<ReadNotice, string>> = { asked: "?", answered: "=" };

/**
 * Notifies runners that a session's disk is to be read, and requesters that there is an answer. Notices are
 * hints; a requester whose notice was lost asks again.
 */
export class ReadNotices {
  readonly #sender: string;
  readonly #tell: (sessionId: string, notice: ReadNotice, notifications: Notification[]) => void;
  readonly #runners = new Set<(sessionId: string) => void>();
  readonly #askers = new SessionListeners();

  /**
   * @param sender Name of this process, or of the service if its processes notify each other directly.
   * @param tell Passes a notice to the other processes of the service, and the notifications to those of
   * other services.
   */
  constructor(
    sender: string,
    tell: (sessionId: string, notice: ReadNotice, notifications: Notification[]) => void,
  ) {
    this.#sender = sender;
    this.#tell = tell;
  }

  /** Calls `wake` when the disk of a session is to be read, until the returned function is called. */
  onAsked(wake: (sessionId: string) => void): () => void {
    this.#runners.add(wake);
    return () => this.#runners.delete(wake);
  }

  /** Calls `wake` when a read of the session was answered, until the returned function is called. */
  onAnswered(sessionId: string, wake: () => void): () => void {
    return this.#askers.add(sessionId, wake);
  }

  /** Publishes a notice. Call it after the commit. */
  publish(sessionId: string, notice: ReadNotice): void {
    this.heard(sessionId, notice);
    const channel = notice === "asked" ? DUE : CHANGES;
    this.#tell(sessionId, notice, [{ channel, payload: `${this.#sender},${MARKS[notice]}${sessionId}` }]);
  }

  /** Handles a notice from another process of the service. */
  heard(sessionId: string, notice: ReadNotice): void {
    if (notice === "answered") this.#askers.call(sessionId);
    else for (const wake of [...this.#runners]) wake(sessionId);
  }

  /** Handles a payload of `CHANGES` or `DUE`. Returns false when it does not belong to reads. */
  receive(payload: string): boolean {
    const [, sender, mark, sessionId = ""] = /^([^,]*),([?=])([^,]*)$/.exec(payload) ?? [];
    if (sender === undefined) return false;
    if (sender !== this.#sender) this.heard(sessionId, mark === MARKS.answered ? "answered" : "asked");
    return true;
  }
}
