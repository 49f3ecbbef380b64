import type { SessionEvent, StopReason } from "@berth/sdk";

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
