import type { Draft } from "./log.ts";
import * as notes from "./notes.ts";
import type { ToolCall } from "./open-calls.ts";
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
