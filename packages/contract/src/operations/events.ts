import { get, post, terminated } from "./operation.ts";

const answered = {
  status: 409,
  type: "conflict_error",
  when: "A call that is confirmed, or given a result, does not wait any more: it was answered or interrupted.",
} as const;

export const events = {
  send: post("events.send", "/sessions/{session_id}/events", "Send events to a session", {
    conflicts: [terminated, answered],
    features: ["outcomes"],
  }),
  list: get("events.list", "/sessions/{session_id}/events", "List a session's events", { answers: "page" }),
  stream: get("events.stream", "/sessions/{session_id}/events/stream", "Follow a session's events", {
    answers: "stream",
  }),
} as const;
