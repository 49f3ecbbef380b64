import type { NewEvent, SessionEvent } from "@berth/contract";

/**
 * The log of a session as the loop reads and writes it. It is all that the loop keeps: killed at any instant, it goes
 * on from the log in another process.
 */
export interface LogEntry {
  /** From 1, without gaps, in the order of commits. */
  seq: number;
  event: SessionEvent;
  /** What the model needs to see again and clients do not: see `Memo`. */
  memo: Memo | null;
}

/** An event to append, with its memo. `id` may be given where later events of the same append refer to it. */
export interface Draft {
  id?: string;
  event: NewEvent;
  memo?: Memo;
}

/**
 * Kept beside an event, never answered by the API.
 * - `agent.message`, `agent.thinking`: the block's `opaque`, and the text of the thinking.
 * - `agent.tool_use`, `agent.mcp_tool_use`, `agent.custom_tool_use`: the provider's id of the call, its `opaque`, and in
 *   `tool_name` what the model calls the tool where the event names it otherwise.
 * - `agent.context_compacted`: the summary that state for everything before it, and in `kept` the newest user message;
 *   `keeps_images` when its images stay behind it.
 * - `span.model_request_end`: in `text`, what the model is told before its next answer, as that the last one was cut.
 */
export interface Memo {
  text?: string;
  kept?: string;
  keeps_images?: true;
  call_id?: string;
  tool_name?: string;
  opaque?: Record<string, unknown>;
}

export interface Log {
  /** Everything so far, in order. The loop keeps its own copy current from what `append` and `take` return. */
  readonly entries: readonly LogEntry[];
  /**
   * Appends all or none, durably, before it resolves. Rejects with `LeaseLost` when another process has taken the
   * session over; the loop then stops at once and touches nothing more.
   */
  append(drafts: readonly Draft[]): Promise<readonly LogEntry[]>;
  /**
   * Appends, and in the same statement marks every input before it as processed. Returns those inputs, oldest first, and then
   * what was appended: an input is seen by the request whose `span.model_request_start` follows it in the log.
   */
  appendTakingInputs(drafts: readonly Draft[]): Promise<readonly LogEntry[]>;
  /**
   * Marks the confirmations and results that clients have sent since as processed, durably, and returns them, oldest
   * first. What a confirmation allows is begun only after this, so that no other process begins it, too.
   */
  takeClientReplies(): Promise<readonly LogEntry[]>;
  /** Whether a message waits that no request has seen. Asked when a turn would end. */
  hasInputs(): Promise<boolean>;
}

export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/** For signals that abort because the lease is gone: nothing may be appended after that, not even what was stopped. */
export function throwIfLeaseLost(signal: AbortSignal): void {
  if (signal.aborted && signal.reason instanceof LeaseLost) throw signal.reason;
}
