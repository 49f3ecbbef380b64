import { foldHistory } from "../history/fold-history.ts";
import type { Draft, LogEntry } from "../history/log.ts";
import type { ToolCall } from "../history/open-calls.ts";
import * as notes from "../prompts/notes.ts";
import { failedDraft } from "./run-calls.ts";

/** Results of the calls that will not run, by what the log says of them: all but those that still may. */
export function settledDrafts(calls: readonly ToolCall[]): Draft[] {
  return calls.flatMap((call) => {
    const text = settledText(call);
    return text === null ? [] : [failedDraft(call, text)];
  });
}

/** Results of calls that were not begun and will not be, since the turn is aborted. */
export function cancelledDrafts(calls: readonly ToolCall[]): Draft[] {
  return calls.map((call) => failedDraft(call, notes.cancelledCall));
}

/** Results of the calls that have not begun and wait for no client, for a turn that cannot begin them. */
export function unstartedCallResults(entries: readonly LogEntry[]): Draft[] {
  return foldHistory(entries)
    .openCalls.filter((call) => call.stands !== "begun" && call.stands !== "waiting")
    .map((call) => failedDraft(call, settledText(call) ?? notes.notStartedCall));
}

function settledText({ stands, denial }: ToolCall): string | null {
  switch (stands) {
    case "begun":
      return notes.interruptedCall;
    case "denied":
      return notes.refusedCall(denial ?? "");
    case "cancelled":
      return notes.cancelledCall;
    default:
      return null;
  }
}
