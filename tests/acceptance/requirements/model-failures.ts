import type { Requirement } from "./requirement.ts";

/** What a turn does when its model fails or does not stop. */
export const modelFailureRequirements: readonly Requirement[] = [
  {
    id: "model-overload",
    source: "api 4",
    rule: "A turn waits for a model that is overloaded or limits the rate for BERTH_MODEL_RETRY_SECONDS; each wait has a session.status_rescheduled with the time of the next request, and the status is rescheduling until one has an answer.",
  },
  {
    id: "model-overload-restart",
    source: "api 4",
    rule: "The wait ends at once when the session is interrupted or the service stops, and another process goes on with it.",
  },
  {
    id: "model-request-limit",
    source: "api 4",
    rule: "A turn ends with the stop reason max_turns after as many requests to the model as the agent's max_model_requests, or else BERTH_MAX_MODEL_REQUESTS, allows. The next message continues the work.",
  },
];
