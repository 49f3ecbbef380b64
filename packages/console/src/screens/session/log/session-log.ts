import type { SessionEvent } from "@berth/sdk";
import { type LogInput, reduce } from "./reduce.ts";
import { EMPTY_VIEW, type SessionView } from "./view.ts";

export type LogSnapshot = {
  view: SessionView;
  /** The events of the log, in order. Grows in place: `view.eventCount` is the number of events. */
  events: readonly SessionEvent[];
};

/** The events of a session as they arrive, and the view derived from them. Duplicates are dropped. */
export class SessionLog {
  #events: SessionEvent[] = [];
  #ids = new Set<string>();
  #snapshot: LogSnapshot = { view: EMPTY_VIEW, events: this.#events };

  get snapshot(): LogSnapshot {
    return this.#snapshot;
  }

  get newestId(): string | null {
    return this.#events.at(-1)?.id ?? null;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  append(batch: readonly LogInput[]): void {
    const fresh = batch.filter((input) => this.#isFresh(input));
    if (fresh.length === 0) return;
    this.#snapshot = { view: reduce(this.#snapshot.view, fresh), events: this.#events };
  }

  /** Whether the input is new. A preview may arrive after its event was stored. */
  #isFresh(input: LogInput): boolean {
    switch (input.type) {
      case "connection_lost":
      case "agent.tool_output":
        return true;
      case "event_start":
        return !this.#ids.has(input.event.id);
      case "event_delta":
        return !this.#ids.has(input.event_id);
    }
    if (this.#ids.has(input.id)) return false;
    this.#ids.add(input.id);
    this.#events.push(input);
    return true;
  }
}
