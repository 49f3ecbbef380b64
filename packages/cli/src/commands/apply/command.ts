import type { Command } from "commander";
import { withConnection } from "../../shared/options.ts";
import { action } from "../action.ts";

export function addApply(program: Command): void {
  const command = program
    .command("apply")
    .summary("create or update objects from files")
    .description(
      "Create each object that the files describe, or update the object of the same kind and name. Fields that a file omits keep their value.",
    )
    .requiredOption(
      "-f, --file <file...>",
      "YAML or JSON file, which can have several documents; - for standard input",
    )
    .option("--dry-run", "check everything and print what would be done, without doing it")
    .option("--json", "print one JSON object per line");
  withConnection(command)
    .addHelpText("after", HELP)
    .action(action(() => import("./apply.ts"), "apply"));
}

const HELP = `
A document is the body of a create request with an additional field 'kind': agent, environment, memory_store or vault.

Example:
  kind: environment
  name: default
  ---
  kind: agent
  name: Helper
  model: anthropic/claude-opus-5
  tools:
    - type: agent_toolset_20260401`;
