import { formatId, newUuid } from "@berth/contract";
import * as notes from "../prompts/notes.ts";
import type { LogEntry } from "./log-entry.ts";

/** Stands for the entries up to `seq`, which are too large to be read: the model is told that they are left out. It is in no log. */
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
