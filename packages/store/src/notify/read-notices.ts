import { CHANGES, DUE, isFormer, markedSender, type Notification } from "./channels.ts";
import { SessionListeners } from "./session-listeners.ts";

/** `asked`: a read of the session's disk waits in the table. `answered`: one of them has its answer there. */
export type ReadNotice = "asked" | "answered";

const MARKS: Readonly<Record<ReadNotice, string>> = { asked: "?", answered: "=" };

/**
 * Tells runners that a session's disk is to be read, and those that asked that there is an answer. Notices are hints: one that is lost
 * is made up for by the asker, who asks again.
 */
export class ReadNotices {
  readonly #sender: string;
  readonly #tell: (sessionId: string, notice: ReadNotice, notifications: Notification[]) => void;
  readonly #runners = new Set<(sessionId: string) => void>();
  readonly #askers = new SessionListeners();

  /**
   * @param sender names this process, or the service whose processes tell each other otherwise.
   * @param tell tells the other processes of the service, and with notifications those of others.
   */
  constructor(
    sender: string,
    tell: (sessionId: string, notice: ReadNotice, notifications: Notification[]) => void,
  ) {
    this.#sender = markedSender(sender);
    this.#tell = tell;
  }

  /** `wake` is called when the disk of a session is to be read, until the returned function is called. */
  onAsked(wake: (sessionId: string) => void): () => void {
    this.#runners.add(wake);
    return () => this.#runners.delete(wake);
  }

  /** `wake` is called when a read of the session was answered, until the returned function is called. */
  onAnswered(sessionId: string, wake: () => void): () => void {
    return this.#askers.add(sessionId, wake);
  }

  /** Call it after the commit. */
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

  /** Another process of the service told of it. */
  heard(sessionId: string, notice: ReadNotice): void {
    if (notice === "answered") this.#askers.call(sessionId);
    else for (const wake of [...this.#runners]) wake(sessionId);
  }

  /**
   * Handles a payload of `CHANGES` or `DUE`. Returns false when it does not belong to reads.
   *
   * @param untold is called for a session when runners that do not listen on `CHANGES` were not told.
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
