import { CHANGES, DUE, isFormer, markedSender, type Notification } from "./channels.ts";
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
    this.#sender = markedSender(sender);
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
    const channels = notice === "asked" ? [DUE, CHANGES] : [CHANGES];
    const payload = `${this.#sender},${MARKS[notice]}${sessionId}`;
    this.#tell(
      sessionId,
      notice,
      channels.map((channel) => ({ channel, payload })),
    );
  }

  /** Handles a notice from another process of the service. */
  heard(sessionId: string, notice: ReadNotice): void {
    if (notice === "answered") this.#askers.call(sessionId);
    else for (const wake of [...this.#runners]) wake(sessionId);
  }

  /**
   * Handles a payload of `CHANGES` or `DUE`. Returns false when it does not belong to reads.
   * @param untold Called for a session when runners that do not listen on `CHANGES` were not notified.
   */
  receive(payload: string, channel: string, untold: (sessionId: string) => void): boolean {
    const [, sender, mark, sessionId = ""] = /^([^,]*),([?=])([^,]*)$/.exec(payload) ?? [];
    if (sender === undefined) return false;
    if (sender === this.#sender) return true;
    if (mark === MARKS.answered) this.heard(sessionId, "answered");
    else if (channel === DUE) this.heard(sessionId, "asked");
    else if (isFormer(sender)) untold(sessionId);
    return true;
  }
}
