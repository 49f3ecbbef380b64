import type { SessionEvent } from "@berth/contract";
import type { Log } from "../history/log.ts";
import { LogCopy } from "../history/log-copy.ts";
import type { Draft, LogEntry } from "../history/log-entry.ts";
import { nestedDraft } from "../history/nested-events.ts";
import type { TurnLog } from "../history/turn-log.ts";

/**
 * The log of a nested loop. It appends to the session's log and marks each event as part of the call. The
 * question is only in this log's copy, since the session's log has it as the call's input. The loop ends with
 * its process, so nothing is ever read back.
 */
export class NestedLog implements Log {
  readonly copy = new LogCopy();
  readonly #log: Pick<TurnLog, "append">;
  readonly #parent: string;
  #asked: string[] = [];
  #seq = 0;

  /** @param parent id of the event that announced the call. */
  constructor(log: Pick<TurnLog, "append">, parent: string) {
    this.#log = log;
    this.#parent = parent;
  }

  /** Adds a message for the model to the next request. */
  ask(text: string): void {
    this.#asked.push(text);
  }

  /** Appends drafts except `session.status_rescheduled`: the session itself continues with other calls. */
  async append(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    const kept = drafts.filter(({ event }) => event.type !== "session.status_rescheduled");
    if (kept.length === 0) return [];
    const entries = await this.#log.append(kept.map((draft) => nestedDraft(draft, this.#parent)));
    return this.#add(entries.map(({ event, memo }) => ({ event: ownEvent(event), memo })));
  }

  async appendTakingInputs(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    const asked = this.#asked.map((text) => ({ event: messageOf(text), memo: null }));
    this.#asked = [];
    const taken = this.#add(asked);
    return [...taken, ...(await this.append(drafts))];
  }

  /** Returns no replies: nested calls never wait for a client. */
  async takeClientReplies(): Promise<readonly LogEntry[]> {
    return [];
  }

  async hasInputs(): Promise<boolean> {
    return this.#asked.length > 0;
  }

  #add(entries: readonly Omit<LogEntry, "seq">[]): LogEntry[] {
    const added = entries.map((entry) => ({ ...entry, seq: ++this.#seq }));
    this.copy.add(added);
    return added;
  }
}

/** Returns the event as the nested loop sees it, without the mark of the parent call. */
function ownEvent(event: SessionEvent): SessionEvent {
  return "parent_tool_use_id" in event ? { ...event, parent_tool_use_id: undefined } : event;
}

function messageOf(text: string): SessionEvent {
  const now = new Date().toISOString();
  const content = [{ type: "text" as const, text }];
  return { id: "", type: "user.message", content, created_at: now, processed_at: now };
}
