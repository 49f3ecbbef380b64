import { formatId, newUuid, type SessionEvent } from "@berth/contract";
import type { Draft, Log, LogEntry } from "../../log.ts";

/** A log in memory, with the events of a store: JSON that went in and comes out. */
export class MemoryLog implements Log {
  readonly entries: LogEntry[] = [];
  #waiting: LogEntry[] = [];

  /** What a user sends. */
  send(text: string): void {
    this.#waiting.push(this.#add({ event: { type: "user.message", content: [{ type: "text", text }] } }));
  }

  async append(drafts: readonly Draft[]): Promise<LogEntry[]> {
    return drafts.map((draft) => this.#add(draft));
  }

  async appendTakingInputs(drafts: readonly Draft[]): Promise<LogEntry[]> {
    const taken = this.#waiting;
    this.#waiting = [];
    return [...taken, ...(await this.append(drafts))];
  }

  async hasInputs(): Promise<boolean> {
    return this.#waiting.length > 0;
  }

  #add({ id = formatId("event", newUuid()), event, memo }: Draft): LogEntry {
    const stored = { ...event, id, created_at: new Date().toISOString(), processed_at: null };
    const entry = { seq: this.entries.length + 1, event: stored as SessionEvent, memo: memo ?? null };
    this.entries.push(JSON.parse(JSON.stringify(entry)) as LogEntry);
    return entry;
  }
}
