import type { EventOf } from "@berth/contract";
import type { ToolResultBlock } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import {
  type CallKind,
  callKind,
  resultCallId,
  type ToolResultEvent,
  type ToolUseEvent,
  waitsForClient,
} from "./call-events.ts";
import type { Memo } from "./log-entry.ts";
import { resultBlocks } from "./result-blocks.ts";

/** A call that a model made, as the log records it. */
export interface ToolCall {
  /** Id of the event that announced the call. */
  eventId: string;
  /** The provider's id of the call. */
  callId: string;
  /** The tool, by the name that the model uses. */
  name: string;
  /** The input as the model gave it. */
  input: Record<string, unknown>;
  kind: CallKind;
  /**
   * The state of a call without a result:
   * - `started`: it is running, or was when its process died.
   * - `waiting`: it waits for a client's confirmation or result.
   * - `allowed`: a client confirmed it, and no process has started it.
   * - `denied`: a client denied it.
   * - `cancelled`: it was interrupted before it started.
   */
  state: "started" | "waiting" | "allowed" | "denied" | "cancelled";
  /** The client's message when it denied the call. */
  denyMessage?: string;
}

/** Returns the call that an event announces, in its first state. */
export function openCallOf(event: ToolUseEvent, memo: Memo | null): ToolCall {
  return {
    eventId: event.id,
    callId: memo?.call_id ?? event.id,
    name: memo?.tool_name ?? event.name,
    input: memo?.tool_input ?? event.input,
    kind: callKind(event),
    state: waitsForClient(event) ? "waiting" : "started",
  };
}

/**
 * The calls of the newest response, until their results enter the history together. They are open in the log,
 * whichever process ran them; `StartedCalls` are those that this process runs.
 */
export class OpenCalls {
  #calls: readonly ToolCall[] = [];
  #results = new Map<string, ToolResultBlock>();
  readonly #maxResultLength: number;

  /** @param maxResultLength maximum characters of text that the model gets of one client result. */
  constructor(maxResultLength: number) {
    this.#maxResultLength = maxResultLength;
  }

  /** Returns an independent copy. */
  fork(): OpenCalls {
    const fork = new OpenCalls(this.#maxResultLength);
    fork.#calls = this.#calls.map((call) => ({ ...call }));
    fork.#results = new Map(this.#results);
    return fork;
  }

  announce(calls: readonly ToolCall[]): void {
    this.#calls = calls;
  }

  isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  /** Returns the calls without a result, in call order. */
  withoutResult(): ToolCall[] {
    return this.#calls.filter((call) => !this.#results.has(call.eventId));
  }

  interrupt(): void {
    this.#calls.forEach(cancel);
  }

  confirm(event: EventOf<"user.tool_confirmation">): void {
    const call = this.#find(event.tool_use_id);
    if (call !== undefined) confirm(call, event);
  }

  /** Records a call's first result. Returns the call; null if it had a result, or this one is an error. */
  addResult(event: ToolResultEvent): ToolCall | null {
    const call = this.#find(resultCallId(event));
    if (call === undefined || this.#results.has(call.eventId)) return null;
    const { callId: id, name } = call;
    const content = resultBlocks(event, this.#maxResultLength);
    this.#results.set(call.eventId, { id, name, content, isError: event.is_error });
    return event.is_error ? null : call;
  }

  /** Returns the results in call order, and closes the calls. */
  close(): ToolResultBlock[] {
    const results = this.#calls.map((call) => this.#results.get(call.eventId) ?? missingResult(call));
    this.drop();
    return results;
  }

  drop(): void {
    this.#calls = [];
    this.#results.clear();
  }

  #find(eventId: string): ToolCall | undefined {
    return this.#calls.find((call) => call.eventId === eventId);
  }
}

/** Applies a confirmation. An allowed call counts as started once its confirmation is processed. */
function confirm(call: ToolCall, event: EventOf<"user.tool_confirmation">): void {
  if (call.state !== "waiting" || call.kind === "custom") return;
  if (event.result === "allow") call.state = event.processed_at === null ? "allowed" : "started";
  else {
    call.state = "denied";
    if (event.deny_message !== undefined) call.denyMessage = event.deny_message;
  }
}

/** Cancels a call if it has not started. */
function cancel(call: ToolCall): void {
  if (call.state === "waiting" || call.state === "allowed") call.state = "cancelled";
}

function missingResult(call: ToolCall): ToolResultBlock {
  return {
    id: call.callId,
    name: call.name,
    content: [{ type: "text", text: notes.INTERRUPTED_CALL }],
    isError: true,
  };
}
