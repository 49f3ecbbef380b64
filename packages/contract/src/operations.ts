import type { Operation } from "./route.ts";

/** Every operation as plain data, in the order of the documentation. No import at run time: a client carries this table alone. */

const cloud = "/api/v1/cloud";

type Extra = Partial<Pick<Operation, "scope" | "answers" | "body" | "conflicts">>;

function get(id: string, path: string, summary: string, extra: Extra = {}): Operation {
  return operation("GET", id, path, summary, "read", extra);
}

function post(id: string, path: string, summary: string, extra: Extra = {}): Operation {
  return operation("POST", id, path, summary, "write", { body: "json", ...extra });
}

function remove(id: string, path: string, summary: string, extra: Extra = {}): Operation {
  return operation("DELETE", id, path, summary, "write", extra);
}

function operation(
  method: Operation["method"],
  id: string,
  path: string,
  summary: string,
  right: string,
  extra: Extra,
): Operation {
  const noun = path.split("/")[1] ?? "";
  return {
    id,
    method,
    path: cloud + path,
    summary,
    scope: `${noun}:${right}`,
    answers: "object",
    body: "none",
    conflicts: [],
    ...extra,
  };
}

const newerVersion = {
  status: 409,
  type: "conflict_error",
  when: "`version` is not the newest version of the agent.",
} as const;

const environmentNameTaken = {
  status: 409,
  type: "conflict_error",
  when: "The owner has an environment of this name.",
} as const;

const terminated = { status: 409, type: "conflict_error", when: "The session is terminated." } as const;

export const operations = {
  tokens: {
    create: post("tokens.create", "/tokens", "Create a token"),
    list: get("tokens.list", "/tokens", "List tokens", { answers: "page" }),
    delete: remove("tokens.delete", "/tokens/{token_id}", "Revoke a token"),
  },
  agents: {
    create: post("agents.create", "/agents", "Create an agent"),
    list: get("agents.list", "/agents", "List agents", { answers: "page" }),
    get: get("agents.get", "/agents/{agent_id}", "Get an agent"),
    update: post("agents.update", "/agents/{agent_id}", "Update an agent", { conflicts: [newerVersion] }),
    delete: remove("agents.delete", "/agents/{agent_id}", "Delete an agent", {
      conflicts: [{ status: 409, type: "conflict_error", when: "A session was created with the agent." }],
    }),
    archive: post("agents.archive", "/agents/{agent_id}/archive", "Archive an agent", { body: "none" }),
    versions: get("agents.versions", "/agents/{agent_id}/versions", "List an agent's versions", {
      answers: "page",
    }),
  },
  models: {
    list: get("models.list", "/models", "List the models that agents can have", {
      answers: "page",
      scope: "agents:read",
    }),
  },
  environments: {
    create: post("environments.create", "/environments", "Create an environment", {
      conflicts: [environmentNameTaken],
    }),
    list: get("environments.list", "/environments", "List environments", { answers: "page" }),
    get: get("environments.get", "/environments/{environment_id}", "Get an environment"),
    update: post("environments.update", "/environments/{environment_id}", "Update an environment", {
      conflicts: [environmentNameTaken],
    }),
    delete: remove("environments.delete", "/environments/{environment_id}", "Delete an environment", {
      conflicts: [
        {
          status: 409,
          type: "conflict_error",
          when: "A session that is not terminated uses the environment.",
        },
      ],
    }),
    archive: post(
      "environments.archive",
      "/environments/{environment_id}/archive",
      "Archive an environment",
      { body: "none" },
    ),
  },
  sessions: {
    create: post("sessions.create", "/sessions", "Create a session", {
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
  },
  sessionResources: {
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
    rotate: post(
      "sessionResources.rotate",
      "/sessions/{session_id}/resources/{resource_id}",
      "Rotate a repository's token",
      {
        conflicts: [terminated],
      },
    ),
  },
  events: {
    send: post("events.send", "/sessions/{session_id}/events", "Send events to a session", {
      conflicts: [terminated],
    }),
    list: get("events.list", "/sessions/{session_id}/events", "List a session's events", { answers: "page" }),
    stream: get("events.stream", "/sessions/{session_id}/events/stream", "Follow a session's events", {
      answers: "stream",
    }),
  },
  files: {
    upload: post("files.upload", "/files", "Upload a file", { body: "multipart" }),
    list: get("files.list", "/files", "List files", { answers: "page" }),
    get: get("files.get", "/files/{file_id}", "Get a file"),
    delete: remove("files.delete", "/files/{file_id}", "Delete a file", {
      conflicts: [
        {
          status: 409,
          type: "conflict_error",
          when: "A session that is neither archived nor terminated mounts the file.",
        },
      ],
    }),
    content: get("files.content", "/files/{file_id}/content", "Get a file's content", { answers: "bytes" }),
  },
} as const satisfies Record<string, Record<string, Operation>>;
