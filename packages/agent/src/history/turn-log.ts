import { answerTypes } from "@berth/contract";
import type { Draft, Log, LogEntry } from "./log.ts";

/**
 * The loop's copy of its log. One append at a time, in the order of the calls; after one that failed, none is tried
 * again: another process may hold the session.
 */
export class TurnLog {
  readonly #log: Log;
  readonly #entries: Map<number, LogEntry>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(log: Log) {
    this.#log = log;
    this.#entries = new Map(log.entries.map((entry) => [entry.seq, entry]));
  }

  get entries(): LogEntry[] {
    return [...this.#entries.values()].sort((one, other) => one.seq - other.seq);
  }

  append(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    return this.#inTurn(() => this.#log.append(drafts));
  }

  /** Appends and takes the inputs that wait; what is returned is the appended entries alone. */
  async appendTakingInputs(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    const entries = await this.#inTurn(() => this.#log.appendTakingInputs(drafts));
    return entries.slice(-drafts.length);
  }

  /** Whether there are answers of clients that no process has taken. */
  hasClientReplies(): boolean {
    return this.#entries
      .values()
      .some(
        ({ event }) => event.processed_at === null && (answerTypes as readonly string[]).includes(event.type),
      );
  }

  takeClientReplies(): Promise<readonly LogEntry[]> {
    return this.#inTurn(() => this.#log.takeClientReplies());
  }

  hasInputs(): Promise<boolean> {
    return this.#log.hasInputs();
  }

  #inTurn(append: () => Promise<readonly LogEntry[]>): Promise<readonly LogEntry[]> {
    const appended = this.#last.then(append).then((entries) => {
      for (const entry of entries) this.#entries.set(entry.seq, entry);
      return entries;
    });
    this.#last = appended;
    appended.catch(() => {});
    return appended;
  }
}
