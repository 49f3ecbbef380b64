import { get, post, remove, terminated } from "./operation.ts";

export const sessionResources = {
  add: post("sessionResources.add", "/sessions/{session_id}/resources", "Add a file to a session", {
    conflicts: [
      {
        status: 409,
        type: "invalid_request_error",
        when: "The session is archived or terminated, the file is not ready, or it is mounted in the session already.",
      },
    ],
  }),
  list: get("sessionResources.list", "/sessions/{session_id}/resources", "List a session's resources", {
    answers: "page",
  }),
  get: get(
    "sessionResources.get",
    "/sessions/{session_id}/resources/{resource_id}",
    "Get a session resource",
  ),
  delete: remove(
    "sessionResources.delete",
    "/sessions/{session_id}/resources/{resource_id}",
    "Remove a file from a session",
    { conflicts: [terminated] },
  ),
  rotate: post(
    "sessionResources.rotate",
    "/sessions/{session_id}/resources/{resource_id}",
    "Rotate a repository's token or password",
    {
      conflicts: [terminated],
    },
  ),
} as const;
