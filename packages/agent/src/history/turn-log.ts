import { CALL_REPLY_TYPES } from "@berth/contract";
import type { Draft, Log, LogEntry } from "./log.ts";

/**
 * The log during one turn, with a copy of its entries. Appends run one at a time, in call order. After an append fails, all
 * later ones fail too: another process may own the session.
 */
export class TurnLog {
  readonly #log: Log;
  readonly #entries: Map<number, LogEntry>;
  #lastAppend: Promise<unknown> = Promise.resolve();

  constructor(log: Log) {
    this.#log = log;
    this.#entries = new Map(log.entries.map((entry) => [entry.seq, entry]));
  }

  get entries(): LogEntry[] {
    return [...this.#entries.values()].sort((one, other) => one.seq - other.seq);
  }

  append(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    return this.#serialize(() => this.#log.append(drafts));
  }

  /** Also takes the pending inputs. Returns only the appended entries. */
  async appendTakingInputs(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    const entries = await this.#serialize(() => this.#log.appendTakingInputs(drafts));
    return entries.slice(-drafts.length);
  }

  /** Whether there are confirmations or client results that no process has taken. */
  hasClientReplies(): boolean {
    return this.#entries
      .values()
      .some(
        ({ event }) =>
          event.processed_at === null && (CALL_REPLY_TYPES as readonly string[]).includes(event.type),
      );
  }

  takeClientReplies(): Promise<readonly LogEntry[]> {
    return this.#serialize(() => this.#log.takeClientReplies());
  }

  hasInputs(): Promise<boolean> {
    return this.#log.hasInputs();
  }

  #serialize(append: () => Promise<readonly LogEntry[]>): Promise<readonly LogEntry[]> {
    const appended = this.#lastAppend.then(append).then((entries) => {
      for (const entry of entries) this.#entries.set(entry.seq, entry);
      return entries;
    });
    this.#lastAppend = appended;
    appended.catch(() => {});
    return appended;
  }
}
