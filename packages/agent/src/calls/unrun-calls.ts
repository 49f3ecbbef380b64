import { foldHistory } from "../history/fold-history.ts";
import type { Draft, LogEntry } from "../history/log.ts";
import type { ToolCall } from "../history/open-calls.ts";
import * as notes from "../prompts/notes.ts";
import { errorResult } from "./run-calls.ts";

/** Results of the calls that will not run, by what the log says of them: all but those that still may. */
export function endedCallResults(calls: readonly ToolCall[]): Draft[] {
  return calls.flatMap((call) => {
    const text = resultTextOf(call);
    return text === null ? [] : [errorResult(call, text)];
  });
}

/** Results of calls that were not begun and will not be, since the turn is aborted. */
export function cancelledCallResults(calls: readonly ToolCall[]): Draft[] {
  return calls.map((call) => errorResult(call, notes.CANCELLED_CALL));
}

/** Results of the calls that have not begun and wait for no client, for a turn that cannot begin them. */
export function unstartedCallResults(entries: readonly LogEntry[]): Draft[] {
  return foldHistory(entries)
    .openCalls.filter((call) => call.state !== "begun" && call.state !== "waiting")
    .map((call) => errorResult(call, resultTextOf(call) ?? notes.NOT_STARTED_CALL));
}

function resultTextOf({ state, denial }: ToolCall): string | null {
  switch (state) {
    case "begun":
      return notes.INTERRUPTED_CALL;
    case "denied":
      return notes.deniedByUser(denial ?? "");
    case "cancelled":
      return notes.CANCELLED_CALL;
    default:
      return null;
  }
}
