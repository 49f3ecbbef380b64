import { isToolResult, isToolUse, resultCallId, waitsForClient } from "./call-events.ts";
import type { LogEntry } from "./log-entry.ts";

/**
 * The calls that this process has started in the current turn and that have no result yet. `OpenCalls`
 * differs: it has every call without a result, whether it waits for a client, runs here, or was started by a
 * process that died.
 *
 * A call starts when it is announced or, if it waits for a client, when the confirmation that allows it is
 * taken.
 */
export class StartedCalls {
  readonly #started = new Set<string>();
  readonly #finished = new Set<string>();

  /** Begins a turn with the log so far: the calls that are open in it were not started by this process. */
  beginTurn(entries: readonly LogEntry[]): void {
    this.add(entries);
    this.#started.clear();
  }

  /** Applies new entries, in log order. */
  add(entries: readonly LogEntry[]): void {
    for (const { event } of entries) {
      if (isToolResult(event)) {
        this.#finished.add(resultCallId(event));
        this.#started.delete(resultCallId(event));
      } else if (isToolUse(event)) {
        if (!waitsForClient(event)) this.#started.add(event.id);
      } else if (event.type === "user.tool_confirmation" && event.result === "allow") {
        if (!this.#finished.has(event.tool_use_id)) this.#started.add(event.tool_use_id);
      }
    }
  }

  isEmpty(): boolean {
    return this.#started.size === 0;
  }
}
