import type { SessionAgent, StopReason } from "@berth/contract";
import type { Log } from "./log.ts";
import type { Model } from "./model.ts";
import type { Tool, ToolContext } from "./tool.ts";

/** Everything that a turn needs. */
export interface Turn extends ToolContext {
  agent: SessionAgent;
  /** What is mounted where, and other facts of this session, as text for the system prompt; fixed for the session. */
  surroundings: string;
  model: Model;
  tools: readonly Tool[];
  log: Log;
  /** Shown to followers, never stored. Never awaited. */
  preview?: (delta: { text: string }) => void;
  /** Waits, or rejects with the signal's reason when it aborts. Tests pass their own clock. */
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Model requests in one turn, default 500. */
  maxRequests?: number;
}

/**
 * Runs one turn: model requests and tool calls until the model ends it, an interrupt aborts the signal, or retries are
 * exhausted. Appends everything it does; the caller appends `session.status_running` and `session.status_idle` around it.
 */
export declare function runTurn(turn: Turn): Promise<StopReason>;
