import type { SessionAgent } from "@berth/contract";
import type { Preview } from "./announced-answer.ts";
import type { Log } from "./log.ts";
import type { FileContent } from "./message-files.ts";
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
  /** Reads a file that a message names; null when there is nothing to read any more. */
  fileContent: FileContent;
  /** Shown to followers, never stored. Never awaited. */
  preview?: Preview;
  /** Waits, or rejects with the signal's reason when it aborts. Tests pass their own clock. */
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Model requests in one turn, default 500. */
  maxRequests?: number;
}
