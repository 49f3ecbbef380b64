import type { TurnLog } from "../history/turn-log.ts";
import type { Question, ToolResult } from "../tools/tool.ts";

/** A call that runs a nested agent loop. */
export interface ExploreCall {
  /** Id of the event that announced the call. */
  eventId: string;
  /** Receives the events of the loop. */
  log: Pick<TurnLog, "append">;
  signal: AbortSignal;
}

/**
 * Answers a question in a nested agent loop. When the signal aborts, it resolves once every request and call
 * that it began has an end in the log. Rejects only when the log does.
 */
export type Explorer = (question: Question, call: ExploreCall) => Promise<ToolResult>;
