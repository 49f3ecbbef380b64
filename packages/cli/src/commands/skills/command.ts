import type { Command } from "commander";
import { withConnection } from "../../shared/options.ts";
import { action } from "../action.ts";

/** What the general commands cannot do with skills: read a directory. */
export function addSkills(program: Command): void {
  const skills = program
    .command("skills")
    .summary("instructions with files that agents can have")
    .description("Instructions with files that agents can have.");
  const add = (usage: string, summary: string) =>
    withConnection(skills.command(usage).description(summary).option("--json", "print JSON"));
  add(
    "create <path>",
    "Creates a skill from a directory with a SKILL.md, or from a zip archive of one.",
  ).action(action(() => import("./create.ts"), "createSkill"));
  add("create-version <skill-id> <path>", "Uploads a new version of a skill.").action(
    action(() => import("./create.ts"), "createSkillVersion"),
  );
}
