import { formatId, newUuid } from "@berth/contract";
import * as notes from "../prompts/notes.ts";
import type { LogEntry } from "./log-entry.ts";

/**
 * Creates an entry that replaces those up to `seq`, which are too large to read. It tells the model that they
 * are left out, and is never stored in a log.
 */
export function entriesLeftOut(seq: number): LogEntry {
  const now = new Date().toISOString();
  return {
    seq,
    event: {
      id: formatId("event", newUuid()),
      type: "agent.context_compacted",
      created_at: now,
      processed_at: now,
      input_tokens_before: 0,
      input_tokens_after: 0,
    },
    memo: { text: notes.HISTORY_LEFT_OUT },
  };
}
