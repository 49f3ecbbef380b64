import { get, post, remove, terminated } from "./operation.ts";

export const sessions = {
  create: post("sessions.create", "/sessions", "Create a session", {
    features: ["outcomes"],
    conflicts: [
      {
        status: 409,
        type: "conflict_error",
        when: "The agent or the environment is archived, or a file is not ready.",
      },
    ],
  }),
  list: get("sessions.list", "/sessions", "List sessions", { answers: "page" }),
  get: get("sessions.get", "/sessions/{session_id}", "Get a session"),
  update: post("sessions.update", "/sessions/{session_id}", "Update a session", {
    conflicts: [terminated],
  }),
  delete: remove("sessions.delete", "/sessions/{session_id}", "Delete a session", {
    conflicts: [{ status: 409, type: "conflict_error", when: "The session is running." }],
  }),
  cancel: post("sessions.cancel", "/sessions/{session_id}/cancel", "End the running turn", {
    body: "none",
    conflicts: [terminated],
  }),
  archive: post("sessions.archive", "/sessions/{session_id}/archive", "Archive a session", {
    body: "none",
  }),
  terminate: post("sessions.terminate", "/sessions/{session_id}/terminate", "Terminate a session", {
    body: "none",
    conflicts: [terminated],
  }),
} as const;

/** A path of a beta feature, which is answered and not served. */
export const threadsOperation = get(
  "sessions.threads",
  "/sessions/{session_id}/threads",
  "List a session's threads",
  { answers: "page", features: ["threads"] },
);
