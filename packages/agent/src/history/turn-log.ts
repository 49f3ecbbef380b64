import { CALL_REPLY_TYPES } from "@berth/contract";
import type { UserBlock } from "../models/model.ts";
import type { History } from "./history.ts";
import type { Log } from "./log.ts";
import type { LogCopy } from "./log-copy.ts";
import type { Draft, LogEntry } from "./log-entry.ts";
import { loadFiles, type ReadFile } from "./message-files.ts";

/**
 * The log during one turn. Appends run one at a time, in call order. After an append fails, all later ones
 * fail too, because another process may own the session.
 */
export class TurnLog {
  readonly #log: Log;
  readonly #copy: LogCopy;
  readonly #files = new Map<string, UserBlock | null>();
  readonly #maxResultLength: number;
  #lastAppend: Promise<unknown> = Promise.resolve();

  /** @param maxResultLength maximum characters of text that the model gets of one client result. */
  constructor(log: Log, maxResultLength: number) {
    this.#log = log;
    this.#copy = log.copy;
    this.#maxResultLength = maxResultLength;
  }

  /** Returns the history of the log so far. A missing file is a note in it. */
  history(): History {
    return this.#copy.history(this.#files, this.#maxResultLength);
  }

  /** Reads the files that messages refer to and that were not read in this turn. */
  async loadFiles(readFile: ReadFile): Promise<void> {
    await loadFiles(this.#copy.messagesWithFiles, this.#files, readFile);
  }

  append(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    return this.#serialize(() => this.#log.append(drafts));
  }

  /** Appends drafts and takes the pending inputs. Returns only the appended entries. */
  async appendTakingInputs(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    const entries = await this.#serialize(() => this.#log.appendTakingInputs(drafts));
    return entries.slice(-drafts.length);
  }

  /** Appends drafts, and behind them the start of a request if it is given, which takes the pending inputs. */
  async appendWithStart(drafts: readonly Draft[], start: Draft | null): Promise<void> {
    await (start === null ? this.append(drafts) : this.appendTakingInputs([...drafts, start]));
  }

  /** Returns whether there are confirmations or client results that no process has taken. */
  hasClientReplies(): boolean {
    return this.#copy
      .unprocessed()
      .some(({ event }) => (CALL_REPLY_TYPES as readonly string[]).includes(event.type));
  }

  takeClientReplies(): Promise<readonly LogEntry[]> {
    return this.#serialize(() => this.#log.takeClientReplies());
  }

  hasInputs(): Promise<boolean> {
    return this.#log.hasInputs();
  }

  #serialize(append: () => Promise<readonly LogEntry[]>): Promise<readonly LogEntry[]> {
    const appended = this.#lastAppend.then(append);
    this.#lastAppend = appended;
    appended.catch(() => {});
    return appended;
  }
}
