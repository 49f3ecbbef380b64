import { get, post, remove } from "./operation.ts";

const used = "an agent that is not archived names it, or a session that goes on was created with it";

export const skills = {
  create: post("skills.create", "/skills", "Upload a skill", {
    body: "multipart",
    conflicts: [{ status: 409, type: "conflict_error", when: "The owner has a skill of this name." }],
  }),
  list: get("skills.list", "/skills", "List skills", { answers: "page" }),
  get: get("skills.get", "/skills/{skill_id}", "Get a skill"),
  update: post("skills.update", "/skills/{skill_id}", "Update a skill's title and metadata"),
  delete: remove("skills.delete", "/skills/{skill_id}", "Delete a skill with its versions", {
    conflicts: [{ status: 409, type: "conflict_error", when: `The skill is in use: ${used}.` }],
  }),
  archive: post("skills.archive", "/skills/{skill_id}/archive", "Archive a skill", { body: "none" }),
  createVersion: post("skills.createVersion", "/skills/{skill_id}/versions", "Upload a version of a skill", {
    body: "multipart",
  }),
  versions: get("skills.versions", "/skills/{skill_id}/versions", "List a skill's versions", {
    answers: "page",
  }),
  getVersion: get("skills.getVersion", "/skills/{skill_id}/versions/{version}", "Get a version of a skill"),
  deleteVersion: remove(
    "skills.deleteVersion",
    "/skills/{skill_id}/versions/{version}",
    "Delete a version of a skill",
    {
      conflicts: [
        {
          status: 409,
          type: "conflict_error",
          when: `It is the skill's only version, or it is in use: ${used}.`,
        },
      ],
    },
  ),
} as const;
