import type { TurnLog } from "../history/turn-log.ts";
import type { Question, ToolResult } from "../tools/tool.ts";

/** A call that has a loop of its own. */
export interface ExploreCall {
  /** Of the event that announced it. */
  eventId: string;
  /** Takes the events of the loop. */
  log: Pick<TurnLog, "append">;
  signal: AbortSignal;
}

/**
 * Answers a question in a loop of its own. When the signal aborts, it resolves once everything that it began has an end in the log.
 * Rejects only when the log does.
 */
export type Explorer = (question: Question, call: ExploreCall) => Promise<ToolResult>;
