import { answeredCall, isResult, isUse, type LogEntry } from "@berth/agent";

/** Which calls of a turn its process has taken on and not answered yet, by what the log says. */
export interface CallsUnderWay {
  /** What a turn begins with: calls that are open in it belong to a process that is gone, or wait. */
  begin(entries: readonly LogEntry[]): void;
  follow(entries: readonly LogEntry[]): void;
  any(): boolean;
}

/**
 * A call is taken on when it is announced, unless it waits for a client, and when the confirmation that allows it is taken,
 * until it has its result.
 */
export function createCallsUnderWay(): CallsUnderWay {
  const taken = new Set<string>();
  const answered = new Set<string>();

  function follow({ event }: LogEntry): void {
    if (isResult(event)) {
      answered.add(answeredCall(event));
      taken.delete(answeredCall(event));
    } else if (isUse(event)) {
      const waits = event.type === "agent.custom_tool_use" || event.evaluated_permission === "ask";
      if (!waits) taken.add(event.id);
    } else if (event.type === "user.tool_confirmation" && event.result === "allow") {
      if (!answered.has(event.tool_use_id)) taken.add(event.tool_use_id);
    }
  }

  return {
    begin(entries) {
      entries.forEach(follow);
      taken.clear();
    },
    follow: (entries) => entries.forEach(follow),
    any: () => taken.size > 0,
  };
}
