import type { Command } from "commander";
import { visibilityOption, withConnection, withOutput } from "../../shared/options.ts";
import { action } from "../action.ts";

/** Adds the commands that read a directory of this machine, beyond those generated from operations. */
export function addSkills(program: Command): void {
  const skills = program
    .command("skills")
    .summary("manage skills: instructions and files for agents")
    .description("Manage skills: instructions and files for agents.");
  const add = (usage: string, summary: string) =>
    withConnection(withOutput(skills.command(usage).description(summary)));
  add("create <path>", "Create a skill from a directory with a SKILL.md, or from a zip archive of one.")
    .option(
      "--all",
      "create each skill below the directory, or in the archive; what belongs to none is left out",
    )
    .addOption(visibilityOption())
    .action(action(() => import("./create.ts"), "createSkill"));
  add("create-version <skill-id> <path>", "Upload a new version of a skill.").action(
    action(() => import("./create.ts"), "createSkillVersion"),
  );
}
