import type { Requirement } from "./requirement.ts";

export const skillRequirements: readonly Requirement[] = [
  {
    id: "skills-upload",
    source: "api 4",
    rule: "A skill is uploaded as one zip archive or as files[] named by their paths, with one SKILL.md at the top or in the one directory there, whose frontmatter has name and description.",
  },
  {
    id: "skills-object",
    source: "seed 2.5",
    rule: "A skill shows name, description, type skill, status, skill_type custom, created_at, updated_at and metadata, beside its id, owner and newest version.",
  },
  {
    id: "skills-faults",
    source: "api 4",
    rule: "An upload without a good SKILL.md, or with links, encrypted entries, paths that leave the directory, duplicates, too many entries or too many bytes, is refused with 400 and leaves nothing.",
  },
  {
    id: "skills-name",
    source: "seed 7.2",
    rule: "A skill's name is unique for its owner: a second one is 409 conflict_error.",
  },
  {
    id: "skills-versions",
    source: "api 4",
    rule: "Versions are uploaded, listed, read and deleted; all have the skill's name, and their numbers rise from 1.",
  },
  {
    id: "skills-change",
    source: "api 2",
    rule: "A skill's title and metadata are updated as everywhere; archived it can be read and not changed.",
  },
  {
    id: "skills-agents",
    source: "api 4",
    rule: "An agent names skills, with a version or the newest; what does not exist, is not reached, is archived or has another's name is refused.",
  },
  {
    id: "skills-in-use",
    source: "api 4",
    rule: "A skill, or a version, that an agent that is not archived names or a session that goes on has, is not deleted: 409; nor is the only version.",
  },
  {
    id: "skills-pinned",
    source: "api 4",
    rule: "A session has the versions of its agent's skills that were the newest, or were named, when it was created.",
  },
  {
    id: "skills-mounted",
    source: "api 4",
    rule: "In the sandbox each skill is at /mnt/skills/<name>, read-only and with its scripts executable, in every sandbox that the session gets.",
  },
];
