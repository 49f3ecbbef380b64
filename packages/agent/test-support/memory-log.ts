import { CALL_REPLY_TYPES, formatId, type NewEvent, newUuid, type SessionEvent } from "@berth/contract";
import type { Log } from "../src/history/log.ts";
import { LogCopy } from "../src/history/log-copy.ts";
import type { Draft, LogEntry } from "../src/history/log-entry.ts";

/** A session's log in memory, which outlives the turns that use it. */
export class MemoryLog implements Log {
  readonly #stored: LogEntry[];
  /** Called before (`false`) and after (`true`) an append is durable. An error from it rejects the append. */
  onAppend: (durable: boolean) => void = () => {};
  #copy = new LogCopy();
  readonly #now: () => number;

  /**
   * @param now returns milliseconds since 1970.
   * @param entries the first entries. Default none.
   */
  constructor(now: () => number = Date.now, entries: readonly LogEntry[] = []) {
    this.#now = now;
    this.#stored = structuredClone([...entries]);
  }

  /** A new copy each time, like that of a process that begins a turn. */
  get copy(): LogCopy {
    this.#copy = new LogCopy(this.entries);
    return this.#copy;
  }

  get entries(): readonly LogEntry[] {
    return structuredClone(this.#stored);
  }

  get events(): SessionEvent[] {
    return this.entries.map((entry) => entry.event);
  }

  get types(): string[] {
    return this.#stored.map((entry) => entry.event.type);
  }

  /** Stores events from a client. */
  send(...events: NewEvent[]): void {
    this.store(events.map((event) => ({ event })));
  }

  message(text: string): void {
    this.send({ type: "user.message", content: [{ type: "text", text }] });
  }

  async append(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    await Promise.resolve();
    this.onAppend(false);
    return this.#durable(this.store(drafts));
  }

  /** Appends drafts and takes inputs. As in the store, interrupts stay unprocessed until the turn ends. */
  async appendTakingInputs(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    await Promise.resolve();
    this.onAppend(false);
    const taken = this.#waiting();
    for (const entry of taken) entry.event.processed_at = new Date(this.#now()).toISOString();
    return this.#durable([...structuredClone(taken), ...this.store(drafts)]);
  }

  async takeClientReplies(): Promise<readonly LogEntry[]> {
    await Promise.resolve();
    this.onAppend(false);
    const taken = this.#stored.filter(({ event }) => isAnswer(event) && event.processed_at === null);
    for (const entry of taken) entry.event.processed_at = new Date(this.#now()).toISOString();
    return this.#durable(structuredClone(taken));
  }

  async hasInputs(): Promise<boolean> {
    await Promise.resolve();
    return this.#waiting().some(({ event }) => event.type === "user.message");
  }

  #durable(entries: LogEntry[]): LogEntry[] {
    this.onAppend(true);
    this.#copy.add(entries);
    return entries;
  }

  #waiting(): LogEntry[] {
    return this.#stored.filter(({ event }) => event.type !== "user.interrupt" && event.processed_at === null);
  }

  /** Stores drafts at once, without `onAppend`. */
  store(drafts: readonly Draft[]): LogEntry[] {
    const entries = drafts.map((draft, index) =>
      entryOf(draft, this.#stored.length + index + 1, this.#now()),
    );
    this.#stored.push(...entries);
    return structuredClone(entries);
  }
}

function isAnswer({ type }: SessionEvent): boolean {
  return (CALL_REPLY_TYPES as readonly string[]).includes(type);
}

function entryOf({ id, event, memo }: Draft, seq: number, now: number): LogEntry {
  const isInput = event.type.startsWith("user.") || event.type === "system.message";
  const created_at = new Date(now).toISOString();
  const processed_at = isInput ? null : created_at;
  const stored = {
    ...structuredClone(event),
    id: id ?? formatId("event", newUuid()),
    created_at,
    processed_at,
  } as SessionEvent;
  return { seq, event: stored, memo: memo === undefined ? null : structuredClone(memo) };
}
