import { foldHistory } from "../history/fold-history.ts";
import type { Draft, LogEntry } from "../history/log-entry.ts";
import { nestedDraft, type OpenPart } from "../history/nested-events.ts";
import type { ToolCall } from "../history/open-calls.ts";
import * as notes from "../prompts/notes.ts";
import { errorResult } from "./run-calls.ts";

/**
 * Returns results of the calls that will not run: those that a dead process started, and those denied or
 * cancelled.
 *
 * @param printed the output of the dead process's calls, by the id of the event that announced each; empty by
 * default.
 */
export function endedCallResults(
  calls: readonly ToolCall[],
  printed: ReadonlyMap<string, string> = new Map(),
): Draft[] {
  return calls.flatMap((call) => {
    const output = printed.get(call.eventId) ?? "";
    const text = output === "" ? resultTextOf(call) : notes.cutOff(notes.INTERRUPTED_OUTPUT, output);
    return text === null ? [] : [errorResult(call, text)];
  });
}

/** Returns results of the calls that a dead process had begun in nested loops. */
export function endedPartResults(parts: readonly OpenPart[]): Draft[] {
  return parts.flatMap(({ type, id, parent }) =>
    type === "call"
      ? [nestedDraft(errorResult({ eventId: id, kind: "tool" }, notes.INTERRUPTED_CALL), parent)]
      : [],
  );
}

/** Returns results of calls that will not start because the turn was aborted. */
export function cancelledCallResults(calls: readonly ToolCall[]): Draft[] {
  return calls.map((call) => errorResult(call, notes.CANCELLED_CALL));
}

/** Returns results of calls that have not started and wait for no client, when a turn cannot start them. */
export function unstartedCallResults(entries: readonly LogEntry[]): Draft[] {
  return foldHistory(entries)
    .openCalls.filter((call) => call.state !== "started" && call.state !== "waiting")
    .map((call) => errorResult(call, resultTextOf(call) ?? notes.NOT_STARTED_CALL));
}

function resultTextOf({ state, denyMessage }: ToolCall): string | null {
  switch (state) {
    case "started":
      return notes.INTERRUPTED_CALL;
    case "denied":
      return notes.deniedByUser(denyMessage ?? "");
    case "cancelled":
      return notes.CANCELLED_CALL;
    default:
      return null;
  }
}
