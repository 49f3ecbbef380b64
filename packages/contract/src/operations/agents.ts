import { get, post, remove } from "./operation.ts";

const newerVersion = {
  status: 409,
  type: "conflict_error",
  when: "`version` is not the newest version of the agent.",
} as const;

export const agents = {
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
} as const;
