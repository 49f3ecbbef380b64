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
import type { Memo } from "./log.ts";
import { resultBlocks } from "./result-blocks.ts";

/** A call that a model made, as its log tells. */
export interface ToolCall {
  /** Id of the event that announced it. */
  eventId: string;
  /** The provider's id of the call. */
  callId: string;
  /** As the model calls the tool. */
  name: string;
  input: Record<string, unknown>;
  kind: CallKind;
  /**
   * While it has no result:
   * - `begun`: it runs, or ran in a process that died.
   * - `waiting`: for a client's confirmation or result.
   * - `allowed`: a client has confirmed it, and no process has begun it.
   * - `denied`: a client has refused it.
   * - `cancelled`: an interrupt came before it began.
   */
  state: "begun" | "waiting" | "allowed" | "denied" | "cancelled";
  /** What the client said with its refusal. */
  denial?: string;
}

/** A call as the event that announces it tells. */
export function openCallOf(event: ToolUseEvent, memo: Memo | null): ToolCall {
  return {
    eventId: event.id,
    callId: memo?.call_id ?? event.id,
    name: memo?.tool_name ?? event.name,
    input: event.input,
    kind: callKind(event),
    state: waitsForClient(event) ? "waiting" : "begun",
  };
}

/** The calls of the newest answer, until their results enter the history together. */
export class OpenCalls {
  #calls: readonly ToolCall[] = [];
  readonly #results = new Map<string, ToolResultBlock>();
  readonly #maxResultLength: number;

  /** `maxResultLength`: characters of text that the model is shown of one result of a client's tool. */
  constructor(maxResultLength: number) {
    this.#maxResultLength = maxResultLength;
  }

  begin(calls: readonly ToolCall[]): void {
    this.#calls = calls;
  }

  isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  /** Those that have no result, in their order. */
  unanswered(): ToolCall[] {
    return this.#calls.filter((call) => !this.#results.has(call.eventId));
  }

  interrupt(): void {
    this.#calls.forEach(cancel);
  }

  confirm(event: EventOf<"user.tool_confirmation">): void {
    const call = this.#find(event.tool_use_id);
    if (call !== undefined) confirm(call, event);
  }

  /** The first result of a call counts. */
  addResult(event: ToolResultEvent): void {
    const call = this.#find(resultCallId(event));
    if (call === undefined || this.#results.has(call.eventId)) return;
    const { callId: id, name } = call;
    const content = resultBlocks(event, this.#maxResultLength);
    this.#results.set(call.eventId, { id, name, content, isError: event.is_error });
  }

  /** The results in the order of the calls, which are no longer open. */
  take(): ToolResultBlock[] {
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

/** SupportedMedia a client's word on a call. A confirmation is processed by the process that begins the call, before it begins. */
function confirm(call: ToolCall, event: EventOf<"user.tool_confirmation">): void {
  if (call.state !== "waiting" || call.kind === "custom") return;
  if (event.result === "allow") call.state = event.processed_at === null ? "allowed" : "begun";
  else {
    call.state = "denied";
    if (event.deny_message !== undefined) call.denial = event.deny_message;
  }
}

/** An interrupt ends what has not begun. */
function cancel(call: ToolCall): void {
  if (call.state === "waiting" || call.state === "allowed") call.state = "cancelled";
}

/** Stands for the result of a call that has none. */
function missingResult(call: ToolCall): ToolResultBlock {
  return {
    id: call.callId,
    name: call.name,
    content: [{ type: "text", text: notes.INTERRUPTED_CALL }],
    isError: true,
  };
}
