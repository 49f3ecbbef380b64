/**
 * Whether messages wait that no request has included, as far as a run knows it. Whatever comes makes the session due, which each look
 * and each append of the run tells; so the database is asked only when something may have come.
 */
export class WaitingMessages {
  #state: "some" | "none" | "unknown" = "unknown";

  /** What a look before a turn found. Only the turn takes what waits. */
  set(any: boolean): void {
    this.#state = any ? "some" : "unknown";
  }

  /** The session has become due: a message may have come. */
  invalidate(): void {
    if (this.#state === "none") this.#state = "unknown";
  }

  /** All are about to be taken. What comes later makes the session due. */
  clear(): void {
    this.#state = "none";
  }

  /** @param read asks the database. */
  async hasAny(read: () => Promise<boolean>): Promise<boolean> {
    if (this.#state !== "unknown") return this.#state === "some";
    this.#state = "none";
    const any = await read();
    if (any) this.invalidate();
    return any;
  }
}
