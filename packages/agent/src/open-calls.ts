import type { EventOf } from "@berth/contract";
import type { CallKind } from "./call-events.ts";

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
  stands: "begun" | "waiting" | "allowed" | "denied" | "cancelled";
  /** What the client said with its refusal. */
  denial?: string;
}

/** Takes a client's word on a call. A confirmation is processed by the process that begins the call, before it begins. */
export function confirm(call: ToolCall, event: EventOf<"user.tool_confirmation">): void {
  if (call.stands !== "waiting" || call.kind === "custom") return;
  if (event.result === "allow") call.stands = event.processed_at === null ? "allowed" : "begun";
  else {
    call.stands = "denied";
    if (event.deny_message !== undefined) call.denial = event.deny_message;
  }
}

/** An interrupt ends what has not begun. */
export function cancel(call: ToolCall): void {
  if (call.stands === "waiting" || call.stands === "allowed") call.stands = "cancelled";
}
