import { get, post, remove } from "./operation.ts";

const environmentNameTaken = {
  status: 409,
  type: "conflict_error",
  when: "The owner has an environment of this name.",
} as const;

export const environments = {
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
  archive: post("environments.archive", "/environments/{environment_id}/archive", "Archive an environment", {
    body: "none",
  }),
} as const;
