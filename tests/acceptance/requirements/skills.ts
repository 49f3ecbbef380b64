import type { Requirement } from "./requirement.ts";

export const skillRequirements: readonly Requirement[] = [
  {
    id: "skills-upload",
    source: "api 4",
    rule: "A skill is uploaded as one zip archive or as files[] named by their paths, with one SKILL.md at the root or in the only top-level directory, whose frontmatter has name and description.",
  },
  {
    id: "skills-object",
    source: "seed 2.5",
    rule: "A skill has name, description, type skill, status, skill_type custom, created_at, updated_at and metadata, besides its id, owner and newest version.",
  },
  {
    id: "skills-faults",
    source: "api 4",
    rule: "An upload without a valid SKILL.md, or with links, encrypted entries, paths outside the directory, duplicates, too many entries or too many bytes, is rejected with 400 and leaves nothing behind.",
  },
  {
    id: "skills-name",
    source: "seed 7.2",
    rule: "A skill's name is unique for its owner: a second one is rejected with 409 conflict_error.",
  },
  {
    id: "skills-versions",
    source: "api 4",
    rule: "Versions can be uploaded, listed, read and deleted; all have the skill's name, and their numbers increase from 1.",
  },
  {
    id: "skills-content",
    source: "issue 13",
    rule: "The content of each file of a version can be read by its path, whole or a range, as an attachment with its type; a path that the version does not have is 404.",
  },
  {
    id: "skills-change",
    source: "api 2",
    rule: "A skill's title and metadata follow the common update rules; an archived skill can be read and not changed.",
  },
  {
    id: "skills-agents",
    source: "api 4",
    rule: "An agent refers to skills, with a version or the newest; a skill that does not exist, is inaccessible, is archived or has the name of another of the agent's skills is rejected.",
  },
  {
    id: "skills-in-use",
    source: "api 4",
    rule: "A skill or version that an unarchived agent refers to or an active session has is not deleted: 409; nor is the only version.",
  },
  {
    id: "skills-pinned",
    source: "api 4",
    rule: "A session keeps the skill versions that its agent named, or that were the newest, when it was created.",
  },
  {
    id: "skills-mounted",
    source: "api 4",
    rule: "In every sandbox of a session, each skill is at /mnt/skills/<name>, read-only and with executable scripts.",
  },
];
