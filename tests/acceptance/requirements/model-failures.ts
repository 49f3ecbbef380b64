import type { Requirement } from "./requirement.ts";

/** Rules for turns whose model fails or does not stop. */
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
    id: "content-omitted",
    source: "api 4",
    rule: "What the model's provider rejects for good of a session (a block, a tool, an event) is left out of later requests, so that the next message is answered within four; agent.content_omitted says what was left out and why, and the log keeps it.",
  },
  {
    id: "context-window-learned",
    source: "api 4",
    rule: "A request with more tokens than the model takes is sent smaller until it fits. The window that the model turned out to have is told once, as context_window, and the session keeps to it.",
  },
  {
    id: "compact-at",
    source: "api 4",
    rule: "A session is compacted when a request would have as many tokens as the agent's model.compact_at says, which is less than the context window, and goes on with its work. Without it, when a summary costs less than to carry the history on, and at the latest when the window is full.",
  },
  {
    id: "compact-when-idle",
    source: "api 4",
    rule: "A session that waits for its user is compacted shortly before its provider's cache of the history ends (cache_seconds), once, where that costs less than to write the history anew; unless the agent's model.compact_when_idle is false. A message meanwhile stops that at once.",
  },
  {
    id: "cache-ttl",
    source: "api 4",
    rule: "The provider's cache is asked to keep a request for five minutes or, at a higher price that usage and cost count, for an hour: as the agent's model.cache_ttl says, or else for an hour once the session's own pauses would have made that cheaper. An hour is refused where the provider cannot be told (hour_cache).",
  },
  {
    id: "model-request-limit",
    source: "api 4",
    rule: "A turn ends with the stop reason max_turns after as many requests to the model as the agent's max_model_requests, or else BERTH_MAX_MODEL_REQUESTS, allows. The next message continues the work.",
  },
];
