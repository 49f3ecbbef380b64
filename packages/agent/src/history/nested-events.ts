import type { NewEvent, SessionEvent } from "@berth/contract";
import type { Draft } from "./log-entry.ts";

/** Returns the id of the call whose nested loop an event belongs to; null for the agent's own events. */
export function parentCallOf(event: NewEvent | SessionEvent): string | null {
  return ("parent_tool_use_id" in event ? event.parent_tool_use_id : undefined) ?? null;
}

/** Marks a draft as part of a nested loop. `parent` is the id of the event that announced the call. */
export function nestedDraft(draft: Draft, parent: string): Draft {
  return { ...draft, event: { ...draft.event, parent_tool_use_id: parent } as NewEvent };
}

/** A request or call in a nested loop that has no end in the log. `id` is that of the event that began it. */
export interface OpenPart {
  type: "request" | "call";
  id: string;
  parent: string;
}

/** The requests and calls of nested loops that have no end. */
export class OpenParts {
  #parts: readonly OpenPart[] = [];

  /** Returns an independent copy. */
  fork(): OpenParts {
    const fork = new OpenParts();
    fork.#parts = this.#parts;
    return fork;
  }

  /** Returns the parts in the order in which they began. */
  list(): readonly OpenPart[] {
    return this.#parts;
  }

  /** Applies an event of a nested loop. */
  apply(event: SessionEvent, parent: string): void {
    switch (event.type) {
      case "span.model_request_start":
        this.#begin({ type: "request", id: event.id, parent });
        break;
      case "span.model_request_end":
        this.#end(event.model_request_start_id);
        break;
      case "agent.tool_use":
        this.#begin({ type: "call", id: event.id, parent });
        break;
      case "agent.tool_result":
        this.#end(event.tool_use_id);
        break;
    }
  }

  #begin(part: OpenPart): void {
    this.#parts = [...this.#parts, part];
  }

  #end(id: string): void {
    this.#parts = this.#parts.filter((part) => part.id !== id);
  }
}
