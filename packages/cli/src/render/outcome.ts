import type { SessionEvent, StopReason } from "@berth/sdk";
import { EXIT_CODES } from "../shared/exit-codes.ts";

/** The end of a followed turn or session. */
export interface Outcome {
  /** Stop reason of the last turn; `terminated` if the session ended; null if neither was seen. */
  ended: StopReason["type"] | "terminated" | null;
  /** The budget that stopped it; null if none did. */
  reached: Extract<StopReason, { type: "budget_reached" }>["scope"] | null;
  /** Resources that could not be cloned or mounted. */
  failedResources: string[];
}

export const noOutcome: Outcome = { ended: null, reached: null, failedResources: [] };

/** Returns the outcome after one more event. */
export function outcomeAfter(outcome: Outcome, event: SessionEvent): Outcome {
  if (event.type === "session.status_idle") {
    const { stop_reason: reason } = event;
    const reached = reason.type === "budget_reached" ? reason.scope : null;
    return { ...outcome, ended: reason.type, reached };
  }
  if (event.type === "session.status_terminated" || event.type === "session.deleted") {
    return { ...outcome, ended: "terminated" };
  }
  if (event.type !== "session.error" || event.error.retry_status.type === "retrying") return outcome;
  const { resource_id } = event.error;
  return resource_id === undefined
    ? outcome
    : { ...outcome, failedResources: [...outcome.failedResources, resource_id] };
}

/** Returns the exit code: success only if the agent ended the turn and all resources are in place. */
export function exitCodeOf({ ended, failedResources }: Outcome): number {
  if (ended === "requires_action") return EXIT_CODES.waiting;
  return ended === "end_turn" && failedResources.length === 0 ? EXIT_CODES.done : EXIT_CODES.failed;
}
