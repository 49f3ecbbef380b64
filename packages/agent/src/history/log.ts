import type { LogCopy } from "./log-copy.ts";
import type { Draft, LogEntry } from "./log-entry.ts";

/** A session's log as the loop uses it. */
export interface Log {
  /** All entries so far. The methods below add what they return to it before they resolve. */
  readonly copy: LogCopy;
  /**
   * Appends all drafts or none, durably. Rejects with `LeaseLost` when another process owns the session; the
   * loop then stops at once and does nothing more.
   */
  append(drafts: readonly Draft[]): Promise<readonly LogEntry[]>;
  /**
   * Appends the drafts, and marks every pending input as processed in the same statement. Returns those
   * inputs, oldest first, then the appended entries: an input is part of the request whose
   * `span.model_request_start` follows it in the log.
   */
  appendTakingInputs(drafts: readonly Draft[]): Promise<readonly LogEntry[]>;
  /**
   * Durably marks new confirmations and client results as processed and returns them, oldest first. A
   * confirmed call starts only after this, so that no other process starts it too.
   */
  takeClientReplies(): Promise<readonly LogEntry[]>;
  /** Returns whether a message is pending that no request has included. Called when a turn would end. */
  hasInputs(): Promise<boolean>;
  /**
   * Returns whether the process stops after the next append that leaves nothing open, so that no request may
   * begin. Default: false.
   */
  isEnding?(): boolean;
}

/** Thrown when another process owns the session. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/** Throws when the signal was aborted because the lease is lost: nothing may be appended then. */
export function throwIfLeaseLost(signal: AbortSignal): void {
  if (signal.aborted && signal.reason instanceof LeaseLost) throw signal.reason;
}
