/**
 * Caches whether messages wait that no request has included. New messages make the session due, which each
 * `look` and each append of the run reports. So the database is queried only when something may have come.
 */
export class WaitingMessages {
  #state: "some" | "none" | "unknown" = "unknown";

  /** Sets what a look before a turn found. Only the turn takes waiting messages. */
  set(any: boolean): void {
    this.#state = any ? "some" : "unknown";
  }

  /** Records that the session has become due, so that a message may have come. */
  invalidate(): void {
    if (this.#state === "none") this.#state = "unknown";
  }

  /** Records that all messages are about to be taken. Later ones make the session due. */
  clear(): void {
    this.#state = "none";
  }

  /** Returns whether messages wait. @param read queries the database. */
  async hasAny(read: () => Promise<boolean>): Promise<boolean> {
    if (this.#state !== "unknown") return this.#state === "some";
    this.#state = "none";
    const any = await read();
    if (any) this.invalidate();
    return any;
  }
}
