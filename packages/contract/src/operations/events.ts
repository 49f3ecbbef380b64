import { get, post, terminated } from "./operation.ts";

export const events = {
  send: post("events.send", "/sessions/{session_id}/events", "Send events to a session", {
    conflicts: [terminated],
    features: ["outcomes"],
  }),
  list: get("events.list", "/sessions/{session_id}/events", "List a session's events", { answers: "page" }),
  stream: get("events.stream", "/sessions/{session_id}/events/stream", "Follow a session's events", {
    answers: "stream",
  }),
} as const;
