import type { SessionEvent, StopReason } from "@berth/sdk";
import { exitCodes } from "../shared/exit-codes.ts";

/** How the followed part of a session ended. */
export interface Outcome {
  /** Of the last turn; `terminated` when the session is over; null when neither came. */
  ended: StopReason["type"] | "terminated" | null;
  /** Resources that could not be put in place. */
  failedResources: string[];
}

export const noOutcome: Outcome = { ended: null, failedResources: [] };

/** The outcome after one more event. */
export function outcomeAfter(outcome: Outcome, event: SessionEvent): Outcome {
  if (event.type === "session.status_idle") return { ...outcome, ended: event.stop_reason.type };
  if (event.type === "session.status_terminated" || event.type === "session.deleted") {
    return { ...outcome, ended: "terminated" };
  }
  if (event.type !== "session.error" || event.error.retry_status.type === "retrying") return outcome;
  const { resource_id } = event.error;
  return resource_id === undefined
    ? outcome
    : { ...outcome, failedResources: [...outcome.failedResources, resource_id] };
}

/** What a command that followed the turn ends with: done only when the agent ended it and its resources are in place. */
export function exitCodeOf({ ended, failedResources }: Outcome): number {
  if (ended === "requires_action") return exitCodes.waiting;
  return ended === "end_turn" && failedResources.length === 0 ? exitCodes.done : exitCodes.failed;
}
