import { HistoryFold } from "./fold-history.ts";
import type { History } from "./history.ts";
import type { LogEntry } from "./log-entry.ts";
import { type MessageFiles, NO_FILES } from "./message-files.ts";
import { parentCallOf } from "./nested-events.ts";

/**
 * A process's copy of a session's log, with the history. The history equals that of `foldHistory`, but is
 * folded incrementally: the cost of a turn does not grow with the log.
 */
export class LogCopy {
  readonly #entries: LogEntry[] = [];
  #messagesWithFiles: LogEntry[] = [];
  /** The fold of the first `#folded` entries. It starts over if an entry is added before the last of them. */
  #fold = HistoryFold.begin(NO_FILES, Number.POSITIVE_INFINITY);
  #folded = 0;
  #files: MessageFiles = NO_FILES;
  #fileCount = 0;
  #maxResultLength = Number.POSITIVE_INFINITY;
  #history: History | undefined;

  /** The number of known entries before `#from`; the others before it stay unknown. */
  readonly #kept: number;
  /** The copy has the entries after this `seq`. */
  readonly #from: number;

  /** @param part the entries after `from`, and of those before it only `kept`. Default: all of the log. */
  constructor(
    entries: readonly LogEntry[] = [],
    part: { from: number; kept: readonly LogEntry[] } = { from: 0, kept: [] },
  ) {
    this.#from = part.from;
    this.#kept = part.kept.length;
    this.add(part.kept);
    this.add(entries);
  }

  /** The entries in the order of the log. Inputs that the process has not yet taken may be missing. */
  get entries(): readonly LogEntry[] {
    return this.#entries;
  }

  /** User messages that refer to files, in the order of the log. */
  get messagesWithFiles(): readonly LogEntry[] {
    return this.#messagesWithFiles;
  }

  /** Returns the `seq` up to which no entry is missing and none will change. */
  settledSeq(): number {
    let index = Math.max(this.#folded, this.#kept);
    while (index > this.#kept && this.#entries[index - 1]?.seq !== this.#seqAt(index - 1)) index--;
    while (this.#isSettled(index)) index++;
    return this.#seqAt(index) - 1;
  }

  /** Returns the entries that no process has taken. */
  unprocessed(): LogEntry[] {
    return this.#entries.slice(this.#folded).filter(({ event }) => event.processed_at === null);
  }

  /** Adds entries, or replaces known ones: an input that was taken is another entry with the same `seq`. */
  add(entries: readonly LogEntry[]): void {
    for (const entry of entries) this.#put(entry);
    if (entries.length > 0) this.#history = undefined;
  }

  /**
   * Returns the history of the entries. The returned object does not change when entries are added.
   *
   * @param files as for `foldHistory`. Entries may be added to the map, but never changed.
   */
  history(files: MessageFiles = NO_FILES, maxResultLength: number = Number.POSITIVE_INFINITY): History {
    if (!this.#continues(files, maxResultLength)) this.#begin(files, maxResultLength);
    try {
      this.#history ??= this.#foldRest();
      return this.#history;
    } catch (error) {
      this.#begin(files, maxResultLength);
      throw error;
    }
  }

  #put(entry: LogEntry): void {
    let index = this.#entries.length;
    while (index > 0 && (this.#entries[index - 1]?.seq ?? 0) >= entry.seq) index--;
    const known = this.#entries[index]?.seq === entry.seq ? this.#entries[index] : undefined;
    if (known !== undefined && known.event.processed_at !== null) return;
    this.#entries.splice(index, known === undefined ? 0 : 1, entry);
    if (index < this.#folded) this.#begin(this.#files, this.#maxResultLength);
    if (hasFiles(entry)) this.#addMessageWithFiles(entry);
  }

  #addMessageWithFiles(entry: LogEntry): void {
    const others = this.#messagesWithFiles.filter(({ seq }) => seq !== entry.seq);
    this.#messagesWithFiles = [...others, entry].sort((one, other) => one.seq - other.seq);
  }

  #isSettled(index: number): boolean {
    const entry = this.#entries[index];
    return entry !== undefined && entry.seq === this.#seqAt(index) && entry.event.processed_at !== null;
  }

  /** Returns the `seq` of the entry at an index if no entry before it is missing. */
  #seqAt(index: number): number {
    return this.#from + index - this.#kept + 1;
  }

  #continues(files: MessageFiles, maxResultLength: number): boolean {
    const hasSameFiles = files.size === this.#fileCount && (files.size === 0 || files === this.#files);
    return hasSameFiles && maxResultLength === this.#maxResultLength;
  }

  #begin(files: MessageFiles, maxResultLength: number): void {
    this.#fold = HistoryFold.begin(files, maxResultLength);
    this.#folded = 0;
    this.#files = files;
    this.#fileCount = files.size;
    this.#maxResultLength = maxResultLength;
    this.#history = undefined;
  }

  /**
   * Folds the entries up to the last request once, and those after it each time. Inputs that are taken later
   * are inserted between that request and the next.
   */
  #foldRest(): History {
    const end = this.#lastRequest();
    for (const entry of this.#entries.slice(this.#folded, end)) this.#fold.apply(entry);
    this.#folded = end;
    const whole = this.#fold.fork();
    for (const entry of this.#entries.slice(end)) whole.apply(entry);
    return whole.history();
  }

  /**
   * Returns the index of the agent's newest request start before which every entry has been processed;
   * `#folded` if there is none. Requests of nested loops do not count, since they take no inputs.
   */
  #lastRequest(): number {
    let last = this.#folded;
    for (let index = this.#folded; index < this.#entries.length; index++) {
      const event = this.#entries[index]?.event;
      if (event?.processed_at === null) break;
      if (event?.type === "span.model_request_start" && parentCallOf(event) === null) last = index;
    }
    return last;
  }
}

function hasFiles({ event }: LogEntry): boolean {
  return (
    event.type === "user.message" &&
    event.content.some((block) => block.type !== "text" && block.source.type === "file")
  );
}
